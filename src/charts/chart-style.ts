/**
 * Style sheet of a drawn chart. A page changes the colours by setting the variables `--chart-…` on an ancestor of the drawing; without
 * them they follow the reader's colour scheme.
 */
export const chartStyle = `
.chart-drawing{--box:var(--chart-box,#fff);--group:var(--chart-group,#f3f6f9);--ink:var(--chart-ink,#1f2328);--soft:var(--chart-soft,#57606a);--line:var(--chart-line,#7d8793);--event:var(--chart-event,#0b55b0);--guard:var(--chart-guard,#855000);--lit:var(--chart-lit,#1a7f37);--walked:var(--chart-walked,#8250df);font-family:Arial,Helvetica,"Liberation Sans",sans-serif}
@media (prefers-color-scheme:dark){.chart-drawing{--box:var(--chart-box,#0d1117);--group:var(--chart-group,#1a2029);--ink:var(--chart-ink,#e6edf3);--soft:var(--chart-soft,#a3adb8);--line:var(--chart-line,#7f8b98);--event:var(--chart-event,#79b8ff);--guard:var(--chart-guard,#e3b341);--lit:var(--chart-lit,#3fb950);--walked:var(--chart-walked,#bc8cff)}}
.chart-drawing .box{fill:var(--box);stroke:var(--line);stroke-width:1.2}
.chart-drawing .compound.odd>.box,.chart-drawing .parallel.odd>.box{fill:var(--group)}
.chart-drawing .inner,.chart-drawing .rule,.chart-drawing .line{fill:none;stroke:var(--line)}
.chart-drawing .parallel>.box{stroke-dasharray:6 3}
.chart-drawing .rule{stroke-opacity:.5}
.chart-drawing .line{stroke-width:1.3}
.chart-drawing .head,.chart-drawing .start{fill:var(--line)}
.chart-drawing .name{font-size:13px;font-weight:bold;fill:var(--ink)}
.chart-drawing .description{font-size:12px;fill:var(--ink)}
.chart-drawing .event{font-size:11.5px;fill:var(--event)}
.chart-drawing .target{font-size:11.5px;fill:var(--ink)}
.chart-drawing .guard{font-size:11.5px;fill:var(--guard)}
.chart-drawing .action{font-size:11px;fill:var(--soft)}
.chart-drawing .walked>.box{stroke:var(--walked);stroke-width:2}
.chart-drawing .walked>.line{stroke:var(--walked);stroke-width:2.2}
.chart-drawing .lit>.box{stroke:var(--lit);stroke-width:2.6}
.chart-drawing .lit>text>.name{fill:var(--lit)}
`;
