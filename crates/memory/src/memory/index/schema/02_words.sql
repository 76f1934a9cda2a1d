-- Everything is read anew from the files: words are kept in every language, each marked with who may know it.
DROP TABLE words_held;
DROP TABLE words;
DELETE FROM passages;
DELETE FROM files;

CREATE VIRTUAL TABLE words USING fts5 (
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE VIRTUAL TABLE words_held USING fts5vocab (words, instance);
