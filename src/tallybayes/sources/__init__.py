"""Files, folders and pipes of many kinds → a stream of Arrow record batches, in constant memory."""
