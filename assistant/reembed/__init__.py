"""Another embedding model for a knowledge base: a second index beside the first, then the switch, and the way back."""
