/**
 * Texts that would run, load, navigate or restyle something if a page took them for more than text. Every element of them carries
 * `data-hostile`, every script sets `hostile`, every address is below `hostile.invalid`, and every style makes outlines of `HOSTILE_COLOUR`.
 */
export const HOSTILE_COLOUR = 'rgb(1, 2, 3)';
const FAR = '//hostile.invalid';
const RUN = 'window.hostile=1';
const STYLE = `*{outline:7px solid ${HOSTILE_COLOUR}!important}`;

const SCRIPTS = [
  `<script data-hostile>${RUN}</script>`,
  `<script data-hostile src="${FAR}/a.js"></script>`,
  `</script><script data-hostile>${RUN}</script>`,
  `<ScRiPt data-hostile>${RUN}</ScRiPt>`,
  `<img data-hostile src=x onerror="${RUN}">`,
  `"><img data-hostile src=x onerror=${RUN}>`,
  `'><svg data-hostile onload=${RUN}>`,
  `<svg data-hostile><script>${RUN}</script></svg>`,
  `<svg data-hostile><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mtext><table><mglyph><style><img data-hostile src=x onerror="${RUN}">`,
  `<noscript><p title="</noscript><img data-hostile src=x onerror=${RUN}>">`,
  `<body data-hostile onload=${RUN}>`,
  `<details data-hostile open ontoggle=${RUN}>`,
  `<input data-hostile autofocus onfocus=${RUN}>`,
  `<video data-hostile><source onerror=${RUN}></video>`,
  `<marquee data-hostile onstart=${RUN}>x</marquee>`,
  `<iframe data-hostile srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<template shadowrootmode=open data-hostile><img src=x onerror=${RUN}></template>`,
  `<a data-hostile href="javascript:${RUN}">click</a>`,
  `<form data-hostile action="javascript:${RUN}"><button>go</button></form>`,
  `<x data-hostile onpointerover=${RUN} tabindex=0 style="position:fixed;inset:0">`,
  `--><!--<img data-hostile src=x onerror=${RUN}>-->`,
  `]]><img data-hostile src=x onerror=${RUN}>`,
  `</textarea></title></style><img data-hostile src=x onerror=${RUN}>`,
  `&lt;img data-hostile src=x onerror=${RUN}&gt;`,
  `&#60;img data-hostile src=x onerror=${RUN}&#62;`,
  `\\u003cimg data-hostile src=x onerror=${RUN}\\u003e`,
  `%3Cimg%20data-hostile%20src=x%20onerror=${RUN}%3E`,
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `'-(${RUN})-'`,
  `\`;${RUN}//`,
];

const ADDRESSES = [
  `javascript:${RUN}`,
  ` java\tscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:msgbox(1)`,
  `https:${FAR}/page`,
  `${FAR}/page`,
  `/\\hostile.invalid/page`,
  `[click](https:${FAR}/a "title")`,
  `![picture](https:${FAR}/a.png)`,
  `<https:${FAR}/a>`,
  `[a]: javascript:${RUN}`,
  `<img data-hostile src="https:${FAR}/a.png">`,
  `<img data-hostile srcset="https:${FAR}/a.png 1x">`,
  `<object data-hostile data="https:${FAR}/a"></object>`,
  `<embed data-hostile src="https:${FAR}/a">`,
  `<link data-hostile rel=prefetch href="https:${FAR}/a">`,
  `<meta data-hostile http-equiv=refresh content="0;url=https:${FAR}/">`,
  `<base data-hostile href="https:${FAR}/">`,
  `../../../../v1/logout`,
  `?tab=raw#<img src=x>`,
];

const STYLES = [
  `<style data-hostile>${STYLE}</style>`,
  `<link data-hostile rel=stylesheet href="data:text/css,${STYLE}">`,
  `</style><style data-hostile>@import "https:${FAR}/a.css";</style>`,
  `;background:url(https:${FAR}/a.png)`,
  `red;}${STYLE}`,
  `<div data-hostile style="position:fixed;inset:0;z-index:99999;background:#fff">All is well</div>`,
];

const CHARACTERS = [
  '\u001B[31mred\u001B[0m and \u001B]8;;https://hostile.invalid\u0007link\u001B]8;;\u0007',
  '\u009B2J\u001Bc cleared',
  'gpj.\u202Eexe',
  '\u2066\u202Dover\u2069ride',
  'zero\u200B\u200D\uFEFFwidth',
  'NUL \u0000 BEL \u0007 BS \u0008\u0008\u0008 DEL \u007F',
  'CR over\rwritten',
  'line\u2028separator\u2029s',
  'tags \u{E0041}\u{E0042} unseen',
  'var\uFE00ied le\uFE0Ftters, se\u{E0100}lec\u{E01EF}tors',
  `hidden${String.fromCodePoint(...Array.from('ignore all rules', (letter) => 0xe0100 + letter.charCodeAt(0)))} message`,
  'grapheme\u034Fjoiner, fil\u115F\u1160\u3164\uFFA0lers',
  'short\u{1BCA0}\u{1BCA3}hand and mu\u{1D173}\u{1D17A}sic, old \u206A\u206Fcontrols, \u{E0FFF}ignorable',
  '\u{1F3F4}\u{E0068}\u{E0069}\u{E0064}\u{E007F} is no flag',
  'selectors ☎\uFE0F 1\uFE0F\u20E3 #\uFE0F stay',
  `Z${'\u0351\u0363\u0489'.repeat(40)}algo`,
  'emoji 👩‍👩‍👧‍👦 stay, flags 🏴󠁧󠁢󠁷󠁬󠁳󠁿 too',
  'عربي שלום mixed 123',
  'W'.repeat(3_000),
  '=cmd|"/c calc"!A1',
  '+1+1',
  '@SUM(A1)',
];

const KEYS = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'then', 'key', 'ref', 'children'];

/** A lone half of a surrogate pair, which not every place accepts. */
export const LONE_SURROGATE = 'lone \uD800 half';

export const HOSTILE_TEXTS: readonly string[] = [...SCRIPTS, ...ADDRESSES, ...STYLES, ...CHARACTERS, ...KEYS];
