"""The tables of the database, and how SQLite is set up for it."""

from __future__ import annotations

FORMAT = 3
READ = (2, FORMAT)  # in format 2, the id of an entry had an index of its own
TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (number INTEGER PRIMARY KEY, id TEXT, record TEXT NOT NULL, link BLOB NOT NULL);
CREATE INDEX changes_of_a_row ON changes (id, number);
CREATE TABLE decays (number INTEGER PRIMARY KEY, factor REAL NOT NULL);
CREATE TABLE entries (change INTEGER PRIMARY KEY, id TEXT NOT NULL, first INTEGER NOT NULL, at TEXT NOT NULL,
    mark INTEGER NOT NULL);
CREATE INDEX entries_by_mark ON entries (mark);
CREATE TABLE counts (change INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE replaced (change INTEGER PRIMARY KEY, id TEXT NOT NULL);
CREATE INDEX replaced_of_a_row ON replaced (id);
"""
SETTINGS = ("secure_delete=ON", "journal_mode=TRUNCATE", "synchronous=FULL", "temp_store=MEMORY", "cell_size_check=ON")
