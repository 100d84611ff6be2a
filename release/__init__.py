"""A release: the changelog, the gate that a tag must pass, and the rehearsal. CONTRIBUTING.md has the steps."""
