//! The border that overlays share.
//!
//! Owns its drawing. Never knows what lies inside.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    symbols::border,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    ctx::Ctx,
    theme::{Glyphs, Slot},
};

/// Borders from the glyphs.
pub fn borders(glyphs: &Glyphs) -> border::Set<'static> {
    let [across, down] = glyphs.rule;
    let [top_left, top_right, bottom_right, bottom_left] = glyphs.corners;
    border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: down,
        vertical_right: down,
        horizontal_top: across,
        horizontal_bottom: across,
    }
}

/// Draws an overlay's ground and border; returns its inside.
pub fn frame(
    ctx: &Ctx<'_>,
    area: Rect,
    title: &str,
    right: &str,
    keys: &[(&str, &str)],
    buf: &mut Buffer,
) -> Rect {
    let theme = ctx.theme;
    let area = area.intersection(buf.area);
    if area.width < 4 || area.height < 3 {
        Clear.render(area, buf);
        return Rect { height: 0, ..area };
    }
    Clear.render(area, buf);
    buf.set_style(area, theme.fill(Slot::Raised));
    let strong = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mut bottom = vec![Span::raw(" ")];
    for (i, (key, what)) in keys.iter().enumerate() {
        if i > 0 {
            bottom.push(Span::raw("  "));
        }
        bottom.push(Span::styled((*key).to_owned(), theme.style(Slot::Accent).add_modifier(Modifier::BOLD)));
        bottom.push(Span::styled(format!(" {what}"), theme.style(Slot::Soft)));
    }
    bottom.push(Span::raw(" "));
    let block = Block::bordered()
        .border_set(borders(ctx.glyphs))
        .border_style(theme.style(Slot::Accent))
        .title(Span::styled(format!(" {title} "), strong))
        .title_bottom(Line::from(bottom));
    let block = if right.is_empty() {
        block
    } else {
        let right = Span::styled(format!(" {right} "), theme.style(Slot::Soft));
        block.title(Line::from(right).right_aligned())
    };
    let inner = block.inner(area);
    block.render(area, buf);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}
