"""The speed die of the German Monopoly classic (2013), with its two white dice."""
