import { createRoot } from "react-dom/client";
import { mount } from "./app/mount";
import { tauriPlatform } from "./platform/tauri";

const element = document.getElementById("root");
const root = element && createRoot(element);
if (root && "__TAURI_INTERNALS__" in window) void mount(root, tauriPlatform);
else if (root) void import("./app/mount_in_browser").then((browser) => browser.mountInBrowser(root));
