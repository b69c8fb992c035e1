"""Languages of replies: each has every word, and all of them fit."""
