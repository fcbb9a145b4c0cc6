"""The sandbox: free building, no end."""
