"""The screen: records in, HTML out; two hosts (Gradio and Jupyter) show the same panels."""
