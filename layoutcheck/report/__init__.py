"""Reports as text and as JSON. Knows verdicts and diagnostics, no engine, and never reads a file."""
