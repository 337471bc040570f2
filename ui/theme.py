"""Gradio's own parts in the panels' colours and system fonts; nothing is fetched."""

from __future__ import annotations

import inspect

import gradio as gr

FONT = ("ui-sans-serif", "system-ui", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "sans-serif")
MONO = ("ui-monospace", "Consolas", "Noto Sans Mono CJK SC", "monospace")

# one value for light and dark: the panels' variables change with the page
_COLOURS = {
    "body_background_fill": "var(--gb-paper)",
    "body_text_color": "var(--gb-ink)",
    "body_text_color_subdued": "var(--gb-soft)",
    "background_fill_primary": "var(--gb-card)",
    "background_fill_secondary": "var(--gb-sunk)",
    "border_color_primary": "var(--gb-line)",
    "border_color_accent": "var(--gb-accent)",
    "block_background_fill": "var(--gb-card)",
    "block_border_color": "var(--gb-line)",
    "block_label_background_fill": "var(--gb-card)",
    "block_label_text_color": "var(--gb-soft)",
    "block_title_text_color": "var(--gb-soft)",
    "block_info_text_color": "var(--gb-soft)",
    "input_background_fill": "var(--gb-card)",
    "input_border_color": "var(--gb-line-strong)",
    "input_border_color_focus": "var(--gb-accent)",
    "input_placeholder_color": "var(--gb-soft)",
    "color_accent": "var(--gb-accent)",
    "color_accent_soft": "var(--gb-accent-soft)",
    "link_text_color": "var(--gb-accent)",
    "button_primary_background_fill": "var(--gb-accent)",
    "button_primary_background_fill_hover": "var(--gb-accent)",
    "button_primary_text_color": "var(--gb-accent-ink)",
    "button_primary_border_color": "var(--gb-accent)",
    "button_secondary_background_fill": "var(--gb-card)",
    "button_secondary_background_fill_hover": "var(--gb-sunk)",
    "button_secondary_text_color": "var(--gb-ink)",
    "button_secondary_border_color": "var(--gb-line-strong)",
    "button_cancel_background_fill": "var(--gb-poor-soft)",
    "button_cancel_background_fill_hover": "var(--gb-poor-soft)",
    "button_cancel_text_color": "var(--gb-poor)",
    "button_cancel_border_color": "var(--gb-poor)",
    "checkbox_label_background_fill": "transparent",
    "checkbox_label_background_fill_hover": "var(--gb-sunk)",
    "checkbox_label_background_fill_selected": "var(--gb-accent-soft)",
    "checkbox_label_text_color": "var(--gb-ink)",
    "checkbox_label_text_color_selected": "var(--gb-accent)",
    "checkbox_background_color_selected": "var(--gb-accent)",
    "checkbox_border_color_selected": "var(--gb-accent)",
    "error_background_fill": "var(--gb-poor-soft)",
    "error_text_color": "var(--gb-poor)",
}


def theme() -> gr.themes.Base:
    """The theme of the app."""
    base = gr.themes.Base(
        primary_hue="teal", neutral_hue="stone", radius_size="md", spacing_size="md", font=FONT, font_mono=MONO
    )
    known = inspect.signature(base.set).parameters
    both = {n: value for name, value in _COLOURS.items() for n in (name, f"{name}_dark") if n in known}
    return base.set(**both, block_shadow="none", block_border_width="1px", input_radius="10px", block_radius="12px")
