"""What `import teeter` offers to scripts: the commands as functions, in mm, g, degrees and newtons; SI stays inside."""
