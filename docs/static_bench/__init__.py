"""The bench as a folder of files for any web server: its pages, and Python with the simulator in WebAssembly."""
