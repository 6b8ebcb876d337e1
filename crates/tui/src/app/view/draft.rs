//! What is told of a draft that is longer than its rows.
//!
//! Owns where that stands. The draft itself is the composer's.

use ratatui::{buffer::Buffer, layout::Rect};

use super::App;
use crate::theme::Slot;

impl App {
    /// Says in rows of their own how much of the draft stands above and below; returns the area between them.
    pub(super) fn rest_of_draft(&self, area: Rect, buf: &mut Buffer) -> Rect {
        let beyond = |height: u16| self.composer.draft.beyond(height);
        if area.height < 2 || beyond(area.height) == (0, 0) {
            return area;
        }
        let least = area.height - if area.height < 4 { 1 } else { 2 };
        let (above, below) = beyond(least);
        let (above, below) = (above > 0, below > 0 && area.height > 3);
        let text = Rect {
            y: area.y + u16::from(above),
            height: area.height - u16::from(above) - u16::from(below),
            ..area
        };
        let (up, down) = beyond(text.height);
        let faint = self.looks.theme.style(Slot::Faint);
        if above {
            buf.set_stringn(area.x, area.y, format!("↑ {up} more"), usize::from(area.width), faint);
        }
        if below {
            buf.set_stringn(
                area.x,
                area.bottom() - 1,
                format!("↓ {down} more"),
                usize::from(area.width),
                faint,
            );
        }
        text
    }
}
