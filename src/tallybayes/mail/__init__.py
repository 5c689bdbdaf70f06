"""A mail as a row: from the raw bytes to what a spam filter looks at, whatever the bytes are."""

from tallybayes.mail.row import COLUMNS, read_mail

__all__ = ["COLUMNS", "read_mail"]
