//! Every view of the window: no part of it is out of reach, in a narrow window or in a usual one, and axe finds no barrier
//! in it, in light or dark.
//!
//! For whoever wants to look at them, in both themes, at several widths, zoomed in, in high contrast: `ARKI_LOOK=widths cargo test -p arki-tests --test desktop widths` leaves the pictures in
//! `target/desktop-screenshots/widths`; `zoom`, `narrow` (360 px) and `contrast` are the other ways to look. Nothing is
//! compared, but each view must fit: no part of it may be out of reach.

mod dialogs;
mod german;
mod outcomes;
mod start;
mod work;

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Window, wait_until};
use serde_json::{Value, json};
use std::cell::RefCell;

/// How to look, for whoever wants pictures.
const CHOICE: &str = "ARKI_LOOK";
const SIZES: [(u32, u32); 5] = [(720, 640), (1024, 768), (1440, 900), (1920, 1080), (2560, 1440)];
const USUAL: (u32, u32) = (1440, 900);
/// The usual window at twice the size, in its pixels. The driver's clicks miss in a page that is really zoomed.
const ZOOMED: (u32, u32) = (720, 450);
/// The narrowest window at twice the size, as its page has it; only pictures are taken of it, for clicks would miss.
const NARROW: u32 = 360;

/// What is wider than the window: the page itself, and controls that no scrolling leads to.
const OUT_OF_REACH: &str = "
    const page = document.scrollingElement;
    const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth;
    const isScrolled = (one) => one !== null && (scrolls(one) || isScrolled(one.parentElement));
    const controls = 'button, input, select, textarea, a[href], h2, h3, [role=tab], [role=switch], [role=separator]';
    const isOut = (one) => {
      const { left, right, width } = one.getBoundingClientRect();
      return width > 1 && (left < -0.5 || right > innerWidth + 0.5) && !isScrolled(one.parentElement);
    };
    const out = [...document.querySelectorAll(controls)].filter((one) =>
      one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only, [role=separator]') && isOut(one));
    return (page.scrollWidth > page.clientWidth ? ['the page'] : []).concat(out.map((one) => one.outerHTML));";

#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Without pictures.
    Barriers,
    Widths,
    Zoom,
    Narrow,
    Contrast,
}

#[test]
fn views_without_a_session_fit_the_window_and_have_no_barrier() {
    start::look(chosen());
}

#[test]
fn views_of_sessions_fit_the_window_and_have_no_barrier() {
    work::look(chosen());
}

#[test]
fn what_comes_of_work_fits_the_window_and_has_no_barrier() {
    outcomes::look(chosen());
}

#[test]
fn views_in_german_fit_the_window() {
    german::look(chosen());
}

#[test]
fn dialogs_fit_the_window_and_have_no_barrier() {
    dialogs::look(chosen());
}

fn chosen() -> Way {
    match std::env::var(CHOICE).unwrap_or_default().as_str() {
        "" => Way::Barriers,
        "widths" => Way::Widths,
        "zoom" => Way::Zoom,
        "narrow" => Way::Narrow,
        "contrast" => Way::Contrast,
        other => panic!("there is no way to look that is called {other:?}: choose widths, zoom, narrow or contrast"),
    }
}

#[track_caller]
pub(crate) fn fits(window: &Window<'_>, view: &str) {
    let out = window.run(OUT_OF_REACH);
    assert_eq!(out, json!([]) as Value, "{view} doesn't fit: {out:#}");
}

/// A window that is looked at.
struct Look<'a> {
    window: Window<'a>,
    way: Way,
    /// What was out of reach, by view: all of it is told once all views were looked at.
    out: RefCell<Vec<(String, Value)>>,
}

impl<'a> Look<'a> {
    fn at(window: Window<'a>, way: Way) -> Self {
        if way == Way::Contrast {
            window.click("Settings");
            window.element("tab", "Appearance").click();
            window.element("radio", "High").click();
            window.press(&[ESCAPE]);
            window.gone("dialog", "Settings");
        }
        Self { window, way, out: RefCell::default() }
    }

    /// Looks at a view. `show` brings back what gives way in a narrow window.
    #[track_caller]
    fn takes(&self, view: &str, show: impl Fn(&Window<'_>)) {
        let (folder, sizes) = match self.way {
            Way::Barriers => ("", [SIZES[0], USUAL].as_slice()),
            Way::Widths => ("widths", SIZES.as_slice()),
            Way::Zoom => ("zoom", [ZOOMED].as_slice()),
            Way::Narrow => ("narrow", [SIZES[0]].as_slice()),
            Way::Contrast => ("contrast", [USUAL].as_slice()),
        };
        for &(width, height) in sizes {
            self.resize((width, height));
            show(&self.window);
            if self.way == Way::Narrow {
                self.zoom(2.0);
                wait_until("the page of a narrow window", || self.window.run("return innerWidth") == json!(NARROW));
            }
            self.window.settle();
            let out = self.window.run(OUT_OF_REACH);
            if out != json!([]) {
                self.out.borrow_mut().push((format!("{view} at {width} px"), out));
            }
            if self.way == Way::Barriers {
                if (width, height) == USUAL {
                    no_barrier(&self.window, view);
                }
                continue;
            }
            for theme in ["light", "dark"] {
                self.window.set_theme(theme);
                self.window.picture_of((width, height), &format!("{folder}/{view}-{width}-{theme}"));
            }
        }
        if self.way == Way::Narrow {
            self.zoom(1.0);
        }
        self.resize(USUAL);
        show(&self.window);
    }

    fn zoom(&self, times: f64) {
        const ZOOM: &str =
            "window.__TAURI_INTERNALS__.invoke('plugin:webview|set_webview_zoom', { value: arguments[0] })";
        self.window.run_with(ZOOM, &[json!(times)]);
    }

    #[track_caller]
    fn all_fits(&self) {
        assert_eq!(*self.out.borrow(), [], "parts of these views are out of reach");
    }

    fn resize(&self, (width, height): (u32, u32)) {
        self.window.resize(width, height);
        wait_until("the new width", || self.window.run("return innerWidth") == json!(width));
    }

    /// Runs a command by the first words of its name.
    fn runs(&self, command: &str) {
        self.window.press(&[CONTROL, "k"]);
        self.window.element("dialog", "Command palette");
        self.window.write(command);
        self.window.press(&[ENTER]);
        self.window.gone("dialog", "Command palette");
    }
}

/// Whose view needs nothing to be shown.
const fn as_it_is(_: &Window<'_>) {}
