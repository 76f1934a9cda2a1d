-- What turns cost, by when: the records are long, and need not be read for that.

CREATE INDEX traces_by_cost ON traces (at_ms, cost_usd) WHERE cost_usd > 0;
