//! What the program is made of.

/// The command line runs where there is no desktop.
#[cfg(target_os = "linux")]
#[test]
fn the_command_line_links_no_webview() {
    let linked = std::process::Command::new("ldd").arg(crate::harness::program()).output().unwrap();
    let linked = String::from_utf8(linked.stdout).unwrap();
    assert!(linked.contains("libc.so"), "{linked}");
    for library in ["gtk", "webkit", "libX11", "wayland", "soup", "libssl"] {
        assert!(!linked.contains(library), "{library} is linked: {linked}");
    }
}
