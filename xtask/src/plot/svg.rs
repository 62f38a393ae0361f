//! As much of SVG as the pictures need.

use std::fmt::Write;

/// What is ours, what is a peer's, and lines that only guide the eye.
pub const OWN: &str = "#2a7f4f";
pub const OTHER: &str = "#9aa5b1";
pub const SECOND: &str = "#c2703d";
pub const GUIDE: &str = "#d9dee3";
const TEXT: &str = "#24292f";

/// Where a text ends up beside its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture that grows.
pub struct Svg(String);

impl Svg {
    /// With a white ground, so that it can be read on a dark page, and a title in its first line.
    pub fn new(width: u32, height: u32, title: &str) -> Self {
        let mut svg = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"{TEXT}\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        ));
        svg.element(format_args!(
            "<text x=\"16\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{title}</text>"
        ));
        svg
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.element(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, color: &str) {
        self.element(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{color}\"/>"
        ));
    }

    /// A line through these points.
    pub fn line(&mut self, points: &[(f64, f64)], color: &str, width: f64) {
        let mut list = String::new();
        for (x, y) in points {
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        self.element(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>",
            list.trim_end()
        ));
    }

    fn element(&mut self, element: std::fmt::Arguments) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{element}");
    }

    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}
