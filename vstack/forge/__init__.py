"""What a forge or a CI system reads: annotations, SARIF, JUnit, a summary in Markdown."""
