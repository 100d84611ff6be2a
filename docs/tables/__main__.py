"""``python -m docs.tables``: write the tables of the documents, and the files of a release."""

from docs.tables import written

for file, text in written().items():
    file.write_text(text, "utf-8")
