"""The model server as the person manages it: what is installed, loaded and advisable, pulling and deleting."""
