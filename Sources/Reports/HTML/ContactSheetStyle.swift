/// The contact sheet's CSS.
enum ContactSheetStyle {
  static let text = """
    :root { color-scheme: light dark; --page: #f6f6f4; --card: #fff; --ink: #1d1d1b; --faint: #66665f;
      --line: #dcdcd6; --bad: #b3261e; --good: #1c6e3c; --mark: #2457c5; --check: #e6e6e1; }
    @media (prefers-color-scheme: dark) { :root { --page: #161615; --card: #212120; --ink: #ececea;
      --faint: #a3a39b; --line: #3a3a37; --bad: #ff8a80; --good: #7bd69c; --mark: #8fb4ff; --check: #2c2c2a; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--ink);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    header { position: sticky; top: 0; z-index: 1; padding: .8rem 1.2rem; background: var(--page);
      border-bottom: 1px solid var(--line); }
    h1 { margin: 0; font-size: 1.15rem; }
    h1 small { font-size: 1rem; font-weight: 500; color: var(--good); }
    h1 small.bad { color: var(--bad); }
    .origin, .summary, .sums, .comparison { margin: .2rem 0; color: var(--faint); font-variant-numeric: tabular-nums; }
    .comparison { color: var(--mark); }
    .controls { margin-top: .6rem; display: none; flex-wrap: wrap; gap: .6rem; align-items: center; }
    .js .controls { display: flex; }
    .filters { display: flex; flex-wrap: wrap; gap: .3rem; }
    button, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
      border-radius: .5rem; padding: .25rem .7rem; }
    button { cursor: pointer; }
    button:disabled { cursor: default; opacity: .5; }
    button b { font-weight: 500; color: var(--faint); font-variant-numeric: tabular-nums; }
    button[aria-pressed="true"] { border-color: var(--mark); color: var(--mark); }
    input { flex: 1 1 14rem; max-width: 28rem; }
    #shown { color: var(--faint); font-variant-numeric: tabular-nums; }
    :focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
    main { padding: 1.2rem; }
    section { margin-bottom: 1.6rem; }
    section[hidden] { display: none; }
    section > h2 { margin: 0 0 .6rem; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
    section > h2 a { color: inherit; }
    section > h2 small { font-size: .85rem; font-weight: 400; color: var(--faint); white-space: nowrap; }
    #failures > h2 { color: var(--bad); }
    #gone ul { margin: 0; padding-left: 1.2rem; color: var(--faint); overflow-wrap: anywhere; }
    .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; }
    article { display: flex; flex-direction: column; min-width: 0; background: var(--card);
      border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; content-visibility: auto;
      contain-intrinsic-size: auto 15rem auto 21rem; scroll-margin-top: 9rem; }
    article[hidden] { display: none; }
    article[data-status="failed"] { border-color: var(--bad); }
    article > :not(.picture) { margin: 0 .8rem .25rem; overflow-wrap: anywhere; }
    article > :last-child { margin: auto .8rem .6rem; }
    .picture { position: relative; display: grid; place-items: center; height: 12rem; margin-bottom: .6rem;
      overflow: hidden; text-decoration: none;
      background: repeating-conic-gradient(var(--check) 0 25%, transparent 0 50%) 0 0 / 16px 16px; }
    .picture img { grid-area: 1 / 1; max-width: 100%; max-height: 12rem; object-fit: contain; }
    .picture .full { width: auto; height: auto; }
    .picture .blur { filter: blur(6px); }
    .picture.none { color: var(--faint); background: var(--check); }
    article[data-status="failed"] .picture { height: 4rem; }
    .picture.gone::after { content: "file not found"; grid-area: 1 / 1; color: var(--faint);
      background: var(--card); padding: .1rem .5rem; border-radius: .3rem; }
    .js .full { opacity: 0; transition: opacity .4s; }
    .js .full.loaded { opacity: 1; }
    .js .blur { transition: opacity .4s .1s; }
    .js .blur:has(+ .loaded) { opacity: 0; }
    h3 { font-size: .95rem; font-weight: 600; line-height: 1.3; }
    details { font-size: .85rem; color: var(--faint); }
    .change { color: var(--mark); }
    html:not(.js) .tools { display: none; }
    article button { padding: .1rem .5rem; font-size: .8rem; color: var(--ink); }
    dialog { width: min(70rem, 96vw); max-height: 96vh; padding: 1rem; color: var(--ink); background: var(--card);
      border: 1px solid var(--line); border-radius: .6rem; }
    dialog::backdrop { background: rgb(0 0 0 / .6); }
    .bar { display: flex; justify-content: space-between; gap: 1rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
    #stage { position: relative; display: grid; height: 70vh; cursor: ew-resize; touch-action: none;
      background: repeating-conic-gradient(var(--check) 0 25%, transparent 0 50%) 0 0 / 16px 16px; }
    #stage img { grid-area: 1 / 1; width: 100%; height: 70vh; object-fit: contain; pointer-events: none; }
    #stage .before { clip-path: inset(0 calc(100% - var(--cut)) 0 0); background: var(--card); }
    #stage::after { content: ""; position: absolute; top: 0; bottom: 0; left: var(--cut); width: 2px;
      margin-left: -1px; background: var(--mark); }
    dialog label { display: flex; flex-wrap: wrap; gap: .3rem 1rem; justify-content: space-between;
      margin-top: .6rem; font-size: .85rem; }
    dialog input { flex: 1 0 100%; max-width: none; order: -1; padding: 0; }
    #missing { margin: .6rem 0 0; color: var(--bad); }
    article p { font-size: .85rem; color: var(--faint); }
    article p.facts { color: var(--ink); font-variant-numeric: tabular-nums; }
    article p.error { color: var(--bad); }
    article p.note { font-style: italic; }
    p a { color: inherit; }
    code { font: .8rem/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
    .source, .filter { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
    .saved { color: var(--good); } .grown { color: var(--bad); }
    .status { font-weight: 600; }
    #nothing, footer { padding: 0 1.2rem 1.2rem; color: var(--faint); }
    html:not(.js) footer { display: none; }
    kbd { border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3rem; }
    @media (max-width: 40rem), (max-height: 30rem) { header { position: static; } article { scroll-margin-top: 1rem; } }
    @media (prefers-reduced-motion: reduce) { .js .full, .js .blur { transition: none; } }
    @media print {
      :root { --page: #fff; --card: #fff; --ink: #000; --faint: #444; --line: #bbb; --bad: #a00; --good: #060;
        --check: #eee; }
      header { position: static; } .controls, .js .controls, footer { display: none; }
      main { padding: .5rem; } .grid { grid-template-columns: repeat(3, 1fr); } .tools, details { display: none; }
      article { break-inside: avoid; content-visibility: visible; }
      .picture { height: 7rem; } .picture img { max-height: 7rem; }
      .source, .filter { -webkit-line-clamp: 2; }
      .js .full { opacity: 1; } .blur { display: none; }
    }
    """
}
