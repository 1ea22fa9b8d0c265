import { render } from "preact";

import { App } from "./app.tsx";
import { createPage } from "./create-page.ts";
import { readPreferences } from "./preferences.ts";
import "./styles/theme.css";
import "./styles/page.css";
import "./styles/graph.css";
import "./styles/checkpoints.css";

const root = document.getElementById("page");
if (root !== null) {
  const preferences = readPreferences();
  render(<App created={createPage(preferences)} preferences={preferences} />, root);
}
