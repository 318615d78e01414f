//! The app's window: what is in it and what can be done with it.

use crate::harness::desk::Desk;
use crate::harness::display::Display;
use crate::harness::driver::{Driver, Refused, element_id, element_json};
use crate::harness::picture::Picture;
use crate::harness::waiting::{INTERVAL, in_time, wait_for, wait_until};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::thread;

/// How often a picture is taken again before it is said to look different, and a place before it is taken as it is.
const LOOKS: usize = 40;
const LOCATE: &str = include_str!("locate.js");
const EVERYTHING: &str = include_str!("everything.js");

pub(crate) struct Window<'a> {
    driver: &'a Driver,
    display: &'a Display,
    /// `/session/ID`
    path: String,
}

/// Something in the window, found by its role and name.
pub(crate) struct Element<'a> {
    window: &'a Window<'a>,
    id: String,
}

impl<'a> Window<'a> {
    pub(crate) fn open(desk: &'a Desk, options: &Value) -> Self {
        let window = Self::begin(&desk.driver, &desk.display, &json!({"webkitgtk:browserOptions": options}));
        // By itself, not by its role: a dialog may be over it already, and then assistive technology sees only that.
        wait_until("the conversation", || window.run("return document.querySelector('main') !== null") == true);
        window
    }

    /// Begins a session with a driver.
    pub(crate) fn begin(driver: &'a Driver, display: &'a Display, wanted: &Value) -> Self {
        let session = driver.post("/session", &json!({"capabilities": {"alwaysMatch": wanted}})).unwrap();
        Self { driver, display, path: format!("/session/{}", session["sessionId"].as_str().unwrap()) }
    }

    /// Goes to an address, in a browser.
    pub(crate) fn go(&self, url: &str) {
        self.driver.post(&format!("{}/url", self.path), &json!({"url": url})).unwrap();
    }

    /// Leaves what a browser shows in `target/desktop-screenshots`, in light and in dark.
    pub(crate) fn shots(&self, name: &str) {
        for theme in ["light", "dark"] {
            self.set_theme(theme);
            self.settle();
            let shot = self.driver.get(&format!("{}/screenshot", self.path)).unwrap();
            let png = STANDARD.decode(shot.as_str().unwrap()).unwrap();
            std::fs::create_dir_all(screenshots()).unwrap();
            std::fs::write(screenshots().join(format!("{name}-{theme}.png")), png).unwrap();
        }
    }

    pub(crate) fn close(self) {
        // The last window takes the session with it.
        let _ = self.driver.delete(&format!("{}/window", self.path));
    }

    /// How many windows the app has.
    pub(crate) fn count(&self) -> usize {
        self.handles().len()
    }

    /// From now on this speaks of another one of the app's windows.
    #[track_caller]
    pub(crate) fn switch(&self) {
        let here = self.driver.get(&format!("{}/window", self.path)).unwrap();
        let other = wait_for("another window", || self.handles().into_iter().find(|handle| *handle != here));
        self.driver.post(&format!("{}/window", self.path), &json!({"handle": other})).unwrap();
        wait_until("the conversation", || self.run("return document.querySelector('main') !== null") == true);
    }

    /// From now on this speaks of the window that the app opens after all others were closed.
    #[track_caller]
    pub(crate) fn switch_to_new(&self) {
        let new = wait_for("a window", || self.handles().into_iter().next());
        self.driver.post(&format!("{}/window", self.path), &json!({"handle": new})).unwrap();
        wait_until("the conversation", || self.run("return document.querySelector('main') !== null") == true);
    }

    /// Closes the window that this speaks of, and leaves the others.
    #[track_caller]
    pub(crate) fn close_this(&self) {
        let left = self.driver.delete(&format!("{}/window", self.path)).unwrap();
        self.driver.post(&format!("{}/window", self.path), &json!({"handle": left[0]})).unwrap();
    }

    fn handles(&self) -> Vec<Value> {
        let handles = self.driver.get(&format!("{}/window/handles", self.path)).unwrap();
        handles.as_array().unwrap().clone()
    }

    /// The only element with this role and this very name, once it is there. What the browser computes for assistive
    /// technology must say the same.
    #[track_caller]
    pub(crate) fn element(&'a self, role: &str, name: &str) -> Element<'a> {
        self.sole(role, name, None)
    }

    #[track_caller]
    pub(crate) fn click(&self, button: &str) {
        self.element("button", button).click();
    }

    /// All elements with the role, and with the name unless it is `None`, that are there now.
    pub(crate) fn elements(&'a self, role: &str, name: Option<&str>) -> Vec<Element<'a>> {
        self.all(role, name, None)
    }

    pub(crate) fn has(&self, role: &str, name: &str) -> bool {
        !self.elements(role, Some(name)).is_empty()
    }

    #[track_caller]
    pub(crate) fn gone(&self, role: &str, name: &str) {
        wait_until(&format!("the {role} {name:?} to go"), || !self.has(role, name));
    }

    /// What can be read of the conversation.
    pub(crate) fn transcript(&self) -> String {
        self.run("return document.querySelector('[role=log]')?.innerText ?? ''").as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        let come = in_time(|| self.text().contains(words));
        assert!(come, "waited in vain: {words:?} in the window, which says:\n{}", self.text());
    }

    /// All that can be read.
    pub(crate) fn text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// The button that shows these words, whatever else its name says, such as a tool's card.
    #[track_caller]
    pub(crate) fn button_saying(&'a self, words: &str) -> Element<'a> {
        wait_for(&format!("a button that says {words:?}"), || {
            self.elements("button", None).into_iter().find(|button| button.text_if_there().contains(words))
        })
    }

    /// An item of a menu by the words that it begins with; its name goes on with what it does.
    #[track_caller]
    pub(crate) fn menu_item(&'a self, words: &str) -> Element<'a> {
        wait_for(&format!("the menu's {words:?}"), || {
            self.elements("menuitem", None).into_iter().find(|item| item.text().trim_start().starts_with(words))
        })
    }

    /// Sends a message as a user does.
    #[track_caller]
    pub(crate) fn ask(&self, words: &str) {
        self.element("textbox", "Message").write(words);
        let send = self.element("button", "Send");
        // About one press in fifty on a busy machine is taken by WebKit for the box around the button, although nothing
        // moves; people press again.
        send.ask(
            "arguments[0].addEventListener('click', () => { window.wasPressed = true; }, {once: true, capture: true})",
        );
        self.run("window.wasPressed = false");
        wait_until("the press of Send", || {
            send.click();
            self.run("return window.wasPressed") == true
        });
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        let rect = json!({"x": 0, "y": 0, "width": width, "height": height});
        self.driver.post(&format!("{}/window/rect", self.path), &rect).unwrap();
    }

    /// Takes the focus from the window, as when another program comes to the front.
    #[track_caller]
    pub(crate) fn lose_focus(&self) {
        self.display.take_focus();
        wait_until("the focus to be elsewhere", || self.run("return document.hasFocus()") == false);
    }

    /// Presses keys together, such as Control and K.
    pub(crate) fn press(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({"type": "keyDown", "value": key}));
        let up = keys.iter().rev().map(|key| json!({"type": "keyUp", "value": key}));
        let actions: Vec<Value> = down.chain(up).collect();
        let body = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.driver.post(&format!("{}/actions", self.path), &body).unwrap();
    }

    /// Presses the pointer at a place in CSS pixels, draws it to another and lets go.
    pub(crate) fn drag(&self, from: (i64, i64), to: (i64, i64)) {
        let go = |(x, y): (i64, i64)| json!({"type": "pointerMove", "x": x, "y": y, "duration": 300});
        let (down, up) = (json!({"type": "pointerDown", "button": 0}), json!({"type": "pointerUp", "button": 0}));
        let pointer = json!({"type": "pointer", "id": "pointer", "parameters": {"pointerType": "mouse"},
            "actions": [go(from), down, go(to), up]});
        self.driver.post(&format!("{}/actions", self.path), &json!({"actions": [pointer]})).unwrap();
    }

    /// Types into whatever has the focus.
    pub(crate) fn write(&self, text: &str) {
        for character in text.chars() {
            self.press(&[&character.to_string()]);
        }
    }

    #[track_caller]
    pub(crate) fn run(&self, script: &str) -> Value {
        self.run_with(script, &[])
    }

    #[track_caller]
    pub(crate) fn run_with(&self, script: &str, arguments: &[Value]) -> Value {
        let body = json!({"script": script, "args": arguments});
        self.driver.post(&format!("{}/execute/sync", self.path), &body).unwrap()
    }

    /// A script that ends by calling its last argument.
    #[track_caller]
    pub(crate) fn run_async(&self, script: &str) -> Value {
        self.run_async_with(script, &[])
    }

    #[track_caller]
    pub(crate) fn run_async_with(&self, script: &str, arguments: &[Value]) -> Value {
        let body = json!({"script": script, "args": arguments});
        self.driver.post(&format!("{}/execute/async", self.path), &body).unwrap()
    }

    /// The page, the storage, and the answer of each command that only asks.
    pub(crate) fn everything_it_knows(&self) -> String {
        self.run_async(EVERYTHING).as_str().unwrap().to_owned()
    }

    /// The look that people choose in the palette or the settings.
    pub(crate) fn set_theme(&self, theme: &str) {
        self.run_with("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]);
    }

    /// Waits until nothing moves and what is there has been drawn.
    #[track_caller]
    pub(crate) fn settle(&self) {
        wait_until("an end of all motion", || self.run("return document.getAnimations().length === 0") == true);
        self.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))");
    }

    /// Leaves a picture in `target/desktop-screenshots`.
    pub(crate) fn picture(&self, name: &str) -> Picture {
        self.settle();
        let picture = self.display.picture();
        picture.write(&screenshots().join(format!("{name}.png")));
        picture
    }

    /// Leaves a picture of a window of that size there, below `target/desktop-screenshots`.
    pub(crate) fn picture_of(&self, (width, height): (u32, u32), name: &str) {
        self.settle();
        let picture = self.display.picture().cut(width as usize, height as usize);
        picture.write(&screenshots().join(format!("{name}.png")));
    }

    /// A picture in light and one in dark, which look as they did when somebody last reviewed them.
    #[track_caller]
    pub(crate) fn pictures(&self, name: &str) {
        let before = self.run("return document.documentElement.dataset.theme ?? null");
        for theme in ["light", "dark"] {
            self.set_theme(theme);
            let name = format!("{name}-{theme}");
            let mut compared = self.picture(&name).compared_with(&name);
            // What was asked for may still be on its way.
            for _ in 0..LOOKS {
                if compared.is_ok() {
                    break;
                }
                compared = self.picture(&name).compared_with(&name);
            }
            if let Err(words) = compared {
                panic!("{words}");
            }
        }
        let restore = "if (arguments[0]) document.documentElement.dataset.theme = arguments[0]; \
                       else delete document.documentElement.dataset.theme";
        self.run_with(restore, &[before]);
    }

    /// The same, and the light one is what that file of the documentation shows.
    #[track_caller]
    pub(crate) fn pictures_for(&self, name: &str, document: &str) {
        self.pictures(name);
        let light = Picture::read(&screenshots().join(format!("{name}-light.png"))).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(document);
        if let Err(words) = light.compared_with_document(&file) {
            panic!("{words}");
        }
    }

    #[track_caller]
    fn sole(&'a self, role: &str, name: &str, within: Option<&str>) -> Element<'a> {
        wait_for(&format!("one {role} {name:?}"), || {
            let mut found = self.all(role, Some(name), within);
            (found.len() == 1).then(|| found.remove(0))
        })
    }

    fn all(&'a self, role: &str, name: Option<&str>, within: Option<&str>) -> Vec<Element<'a>> {
        let arguments = [json!(role), json!(name), within.map_or(Value::Null, element_json)];
        let body = json!({"script": LOCATE, "args": arguments});
        let found = match self.driver.post(&format!("{}/execute/sync", self.path), &body) {
            Ok(found) => found,
            // What it was looked for in has been drawn anew meanwhile.
            Err(refused) if refused.error == "stale element reference" => return Vec::new(),
            Err(refused) => panic!("{refused:?}"),
        };
        let elements = found.as_array().unwrap().iter().filter_map(element_id);
        let elements = elements.map(|id| Element { window: self, id });
        elements.filter(|element| element.is_computed_as(role, name)).collect()
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let test = thread::current().name().unwrap_or("test").replace("::", "-");
            // A picture of a failure must not fail.
            let picture = || self.display.picture().write(&screenshots().join(format!("failed-{test}.png")));
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(picture));
        }
        let _ = self.driver.delete(&self.path);
    }
}

impl<'a> Element<'a> {
    /// Clicks it once it rests: the driver reads where it is and clicks there a moment later.
    #[track_caller]
    pub(crate) fn click(&self) {
        for _ in 0..LOOKS {
            let before = self.place();
            thread::sleep(INTERVAL);
            if self.place() == before {
                break;
            }
        }
        self.post("click", &json!({})).unwrap();
    }

    fn place(&self) -> Value {
        self.ask("const box = arguments[0].getBoundingClientRect(); return [box.x, box.y]")
    }

    /// Types into it.
    #[track_caller]
    pub(crate) fn write(&self, text: &str) {
        self.post("value", &json!({"text": text})).unwrap();
    }

    /// Chooses from a list.
    #[track_caller]
    pub(crate) fn choose(&self, option: &str) {
        let script = "return [...arguments[0].options].find((option) => option.text === arguments[1])";
        let option = self.window.run_with(script, &[element_json(&self.id), json!(option)]);
        Element { window: self.window, id: element_id(&option).unwrap() }.click();
    }

    /// The text; empty where the element was drawn anew since it was found, and is to be looked for again.
    fn text_if_there(&self) -> String {
        let body = json!({"script": "return arguments[0].innerText", "args": [element_json(&self.id)]});
        let answer = self.window.driver.post(&format!("{}/execute/sync", self.window.path), &body);
        answer.ok().as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    pub(crate) fn text(&self) -> String {
        self.ask("return arguments[0].innerText").as_str().unwrap_or_default().to_owned()
    }

    /// The answer to a script whose first argument is this element.
    pub(crate) fn ask(&self, script: &str) -> Value {
        self.window.run_with(script, &[element_json(&self.id)])
    }

    pub(crate) fn is_focused(&self) -> bool {
        self.ask("return document.activeElement === arguments[0]") == true
    }

    /// Waits until it has the focus.
    #[track_caller]
    pub(crate) fn gets_focus(&self) {
        let other = || self.window.run("return document.activeElement?.outerHTML.slice(0, 500)");
        assert!(
            in_time(|| self.is_focused()),
            "waited in vain: the focus, which is on {}, in the window, which says:\n{}",
            other(),
            self.window.text()
        );
    }

    #[track_caller]
    pub(crate) fn inside(&self, role: &str, name: &str) -> Element<'a> {
        self.window.sole(role, name, Some(&self.id))
    }

    pub(crate) fn all_inside(&self, role: &str, name: &str) -> Vec<Element<'a>> {
        self.window.all(role, Some(name), Some(&self.id))
    }

    fn is_computed_as(&self, role: &str, name: Option<&str>) -> bool {
        let computed = |what: &str| {
            let value = self.window.driver.get(&format!("{}/element/{}/{what}", self.window.path, self.id));
            value.ok().and_then(|value| value.as_str().map(str::to_owned))
        };
        let (Some(computed_role), Some(label)) = (computed("computedrole"), computed("computedlabel")) else {
            return false;
        };
        computed_role == role && name.is_none_or(|name| name == label)
    }

    fn post(&self, what: &str, body: &Value) -> Result<Value, Refused> {
        self.window.driver.post(&format!("{}/element/{}/{what}", self.window.path, self.id), body)
    }
}

fn screenshots() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    // target/debug/deps/desktop-HASH
    this.ancestors().nth(3).unwrap().join("desktop-screenshots")
}
