/** The page's only style sheet: light and dark as the reader's system is set, readable on paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1b2733; --dim: #5a6875; --paper: #ffffff; --panel: #f3f6f8; --line: #d3dbe1;
  --completed: #1a7f4b; --failed: #c22f2f; --expired: #a85a00; --open: #5a6875; --accent: #0b62a8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e8ed; --dim: #9aa8b4; --paper: #12181d; --panel: #1b232a; --line: #34414b;
    --completed: #4cc38a; --failed: #ff7a7a; --expired: #f0a550; --open: #9aa8b4; --accent: #6cb8f5; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 64rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; }
p { margin: .4rem 0; max-width: 46rem; }
code, pre, .quote { font: .86rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.verdict { border-left: .4rem solid var(--open); padding-left: .9rem; }
.verdict.cause { border-color: var(--failed); }
.verdict.healthy { border-color: var(--completed); }
.verdict.undetermined { border-color: var(--expired); }
.finding { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem 1rem 1rem; margin: 1rem 0; }
.place { color: var(--accent); }
.quote { background: var(--panel); border-radius: .25rem; padding: .4rem .6rem; margin: .2rem 0 .6rem; white-space: pre-wrap; }
ol.chain { list-style: none; margin: .5rem 0; padding: 0; }
ol.chain > li { border-left: .2rem solid var(--line); padding: .15rem 0 .5rem .9rem; }
ol.chain > li:last-child { border-color: var(--failed); }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
th { white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.completed { color: var(--completed); } .failed { color: var(--failed); } .expired { color: var(--expired); } .open { color: var(--open); }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--dim); font-size: 11px; }
svg .axis { stroke: var(--line); }
svg .bar { stroke: none; fill: currentColor; }
svg .bar.savepoint { fill-opacity: .45; stroke: currentColor; stroke-width: 1; }
@media print { body { max-width: none; } .finding { break-inside: avoid; } }
`;

/** SHA-256 of the style sheet in base64, by which the page's policy allows it. A test holds it to the text. */
export const PAGE_STYLE_SHA256 = "f6tMNX7VkhT11uv4zQTeAI4Kg2LDxYA2KmIMkcSkIu8=";
