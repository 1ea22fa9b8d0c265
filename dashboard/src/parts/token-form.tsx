import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { usePage, useText } from "../page-context.ts";

/** Asks for the token of a server that is not on this machine alone. */
export function TokenForm(): JSX.Element {
  const page = usePage();
  const text = useText();
  const [token, setToken] = useState("");
  return (
    <form
      class="card token-form"
      onSubmit={(event) => {
        event.preventDefault();
        page.client.useToken(token.trim());
        page.changes.value++;
      }}
    >
      <h1>{text.tokenWanted}</h1>
      <p>{text.tokenHint}</p>
      <label>
        {text.token}
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {text.tokenUse}
      </button>
    </form>
  );
}
