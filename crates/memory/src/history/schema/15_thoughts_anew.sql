-- Thoughts were kept for whoever was there when they were thought, although they may have been made of what fewer people
-- had heard. Which of them were is not known any more.
DELETE FROM thoughts;
