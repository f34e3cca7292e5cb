/** Colours of a page, under the names that plots use; text has a contrast of at least 4.5 on each of them. */
const light = `color-scheme:light;--bg:#fff;--panel:#f6f8fa;--ink:#1b1f24;--muted:#57606a;--line:#d0d7de;--link:#0550ae;
--good:#116329;--bad:#a40e26;--warn:#7d4e00;--d0:#eaeef2;--d1:#ffd8a8;--d2:#ff9f5a;--d3:#e8590c;--d4:#a61e00;
--l0:transparent;--l1:#fff8e1;--l2:#ffecb3;--l3:#ffd98a;--l4:#ffc04d;
--c1:#0969da;--c2:#bc4c00;--c3:#1a7f37;--c4:#8250df;--c5:#bf3989;--c6:#7d4e00;--c7:#0a7ea4;--c8:#57606a`;
const dark = `color-scheme:dark;--bg:#0d1117;--panel:#161b22;--ink:#e6edf3;--muted:#9da7b3;--line:#3d444d;--link:#79c0ff;
--good:#56d364;--bad:#ff9b94;--warn:#e3b341;--d0:#21262d;--d1:#5c3a12;--d2:#9a5a14;--d3:#e07b1a;--d4:#ffc46b;
--l0:transparent;--l1:#1f1a0e;--l2:#352a0d;--l3:#4d3c0e;--l4:#6b520d;
--c1:#58a6ff;--c2:#f0883e;--c3:#3fb950;--c4:#bc8cff;--c5:#f778ba;--c6:#e3b341;--c7:#39c5cf;--c8:#9da7b3`;

export const style = `:root{${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0;background:var(--bg);color:var(--ink)}
header,main,footer,nav{max-width:1160px;margin:0 auto;padding:0 1.2rem}
header{padding-top:1.4rem}h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}
p,ul,dl{margin:.4rem 0}.muted,figcaption,caption,footer{color:var(--muted)}a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:.5rem 0;margin:0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.3rem}
.pass{color:var(--good)}.fail{color:var(--bad)}.doubt{color:var(--warn)}.pass,.fail,.doubt{font-weight:700}
span.pass::before{content:"\\2713\\a0"}span.fail::before{content:"\\2717\\a0"}span.pass,span.fail{white-space:nowrap}
.verdict{font-size:1.05rem;padding:.6rem .9rem;background:var(--panel);border-left:.35rem solid var(--muted);overflow-wrap:anywhere}
.verdict.is-pass{border-color:var(--good)}.verdict.is-doubt{border:.2rem dashed var(--warn)}
.verdict.is-fail{border:.3rem solid var(--bad)}.verdict.is-fail .fail{display:inline-block;margin-right:.4rem;padding:0 .6rem;font-size:1.4rem;background:var(--bad);color:var(--bg)}
time{white-space:nowrap}
.absent{background:var(--panel);padding:.4rem .8rem;border-left:.25rem solid var(--line)}
code,pre,.code{font:13px/1.45 ui-monospace,monospace}code{overflow-wrap:anywhere}
.wide{overflow-x:auto}.wide:focus-visible,a:focus-visible,button:focus-visible,input:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:1px}
table{border-collapse:collapse;margin:.3rem 0}caption{text-align:left;padding:.2rem 0}
th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}
.data th{overflow-wrap:normal}.data td:not(.n){min-width:6rem}
.n{text-align:right;font-variant-numeric:tabular-nums}.n,.s,.address,.option{white-space:nowrap}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
th button::after{content:"\\a0\\2195";color:var(--muted)}
th[aria-sort=ascending] button::after{content:"\\a0\\2191";color:inherit}th[aria-sort=descending] button::after{content:"\\a0\\2193";color:inherit}
.filter{display:block;margin:.3rem 0}.filter input{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--muted);padding:.1rem .4rem}
figure{margin:.6rem 0}svg{max-width:100%;height:auto}.on-phone{display:none}
.source{min-width:min(100%,36rem)}.source th,.source td{border:0;padding:0 .6rem;overflow-wrap:normal;vertical-align:baseline}.source th.n{width:4.5rem}.roomy{display:inline-block;min-width:12rem}.line{white-space:pre}.source summary{cursor:pointer}
.edited{white-space:nowrap;padding:0 .3rem;border:1px solid var(--warn);border-radius:.2rem;font-size:.75rem;color:var(--warn)}
.l1{background:var(--l1)}.l2{background:var(--l2)}.l3{background:var(--l3)}.l4{background:var(--l4)}
.source details table{margin:.2rem 0 .4rem 1.5rem;background:var(--bg)}
.commands code{display:block}
dl.facts{display:grid;align-items:baseline;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dl.facts dt{color:var(--muted)}dl.facts dd{margin:0;overflow-wrap:anywhere}
footer{padding-bottom:2rem;font-size:.9rem}
@media screen and (max-width:640px){
header,main,footer,nav{padding:0 1rem}header{padding-top:1rem}h1{font-size:1.25rem}
.roomy{min-width:0}.on-screen{display:none}.on-phone{display:block}
.data,.data caption,.data thead,.data tbody,.data tr,.data td{display:block}.data tr[hidden]{display:none}
.data thead tr{display:flex;flex-wrap:wrap;gap:.3rem}.data th,.data th.n{border:0;padding:0;max-width:100%;white-space:normal;overflow-wrap:anywhere}
.data th button{min-height:2.4rem;padding:.3rem .6rem;border:1px solid var(--line);border-radius:.3rem;background:var(--panel)}
.data tbody tr{display:flex;flex-wrap:wrap;gap:0 .9rem;padding:.3rem 0;border-bottom:1px solid var(--line)}
.data td,.data td.n{border:0;padding:.05rem 0;text-align:left;white-space:normal;min-width:0;max-width:100%}.data td:empty{display:none}
.data td:first-child{flex:1 0 100%;font-weight:600}.data td:first-child::before{font-weight:400}
.data td::before{content:attr(data-head) ": ";color:var(--muted)}
dl.facts{grid-template-columns:minmax(0,1fr)}dl.facts dd{margin-bottom:.3rem}
.source,.source>caption,.source>tbody{display:block}.source>thead{display:none}
.source>tbody>tr{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .8rem;padding-left:3.2rem}
.source>tbody>tr>td{padding:0}.source>tbody>tr>td:first-child{width:2.6rem;margin-left:-3.2rem;margin-right:-.2rem}
.source>tbody>tr>td:last-child{flex:1 1 calc(100% - 1rem);min-width:0}.source>tbody>tr>.figure{order:1;font-size:.8rem}
.source>tbody>tr>td:empty:not(:first-child){display:none}.source .figure::before{content:attr(data-head) " "}
.line{white-space:pre-wrap;overflow-wrap:anywhere}.source details table{margin-left:0}.source details td{overflow-wrap:anywhere}
}
@media print{:root{${light}}nav,.filter,.skip{display:none}.wide{overflow:visible}body{font-size:11px}h2,figure,tr{break-inside:avoid}}`;
