"""The bench in a browser, without a server: the table and its HTTP application run in a web worker, on Pyodide."""
