"""What people see and do at a table, as plain values: no window, no socket, no graphics library."""
