/// How the report looks; colours are in ``ReportPalette``.
enum ReportStyle {
    static let css = """
        *{box-sizing:border-box}
        html{background:var(--background);color:var(--label);font:16px/1.5 system-ui,sans-serif}
        body{margin:0 auto;max-width:75rem;padding:1.5rem 1rem 3rem}
        h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
        h2{font-size:1.15rem;margin:0 0 .75rem}
        p{margin:.25rem 0}
        .secondary,figcaption,caption,th,footer{color:var(--secondary-label)}
        header{display:flex;flex-wrap:wrap;gap:1rem;justify-content:space-between;align-items:start;margin-bottom:1.5rem}
        section{background:var(--elevated-background);border:1px solid var(--separator);border-radius:.75rem;padding:1rem;\
        margin-bottom:1rem}
        fieldset{border:0;margin:0;padding:0}
        legend{padding:0;font-size:.85rem;color:var(--secondary-label)}
        .choice{display:inline-block;position:relative}
        .choice input,.pick{position:absolute;opacity:0;width:1px;height:1px}
        .choice span,label.pick-label{display:inline-block;padding:.3rem .8rem;background:var(--fill);color:var(--label);\
        border:2px solid var(--fill);border-radius:.5rem;cursor:pointer}
        .choice input:checked+span,.pick:checked+label.pick-label{border-color:var(--base);font-weight:600}
        .choice input:focus-visible+span,.pick:focus-visible+label.pick-label,.stage:focus-within,.scroll:focus-visible\
        {outline:3px solid var(--base);outline-offset:2px}
        #appearance{display:none}
        .js #appearance{display:block}
        figure{margin:0}
        figure img{display:block;width:100%;height:auto}
        figcaption{font-size:.9rem;padding:.4rem 0}
        .compare .stage{position:relative;margin-top:.5rem}
        .map{display:none!important;width:100%;height:auto}
        .js .map{position:absolute;inset:0;height:100%;opacity:.75;z-index:2}
        #map-frames:checked~.stage .map-frames,#map-motion:checked~.stage .map-motion{display:block!important}
        #map-frames:checked~.legend-frames,#map-motion:checked~.legend-motion{display:flex}
        .legend-frames,.legend-motion{display:none;gap:.6rem;align-items:center;padding:.4rem 0;font-size:.9rem}
        .legend-frames svg,.legend-motion svg{width:12rem;height:1rem;border:1px solid var(--separator)}
        .split{display:none}
        .js .split{display:block;position:absolute;z-index:4;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:ew-resize;\
        touch-action:pan-y;appearance:none;-webkit-appearance:none}
        .split::-webkit-slider-thumb{appearance:none;-webkit-appearance:none;width:2px;height:100%}
        .split::-moz-range-thumb{width:2px;height:100%;border:0}
        .js .before{position:absolute;inset:0;margin:0;z-index:1;clip-path:inset(0 calc(100% - var(--split,50%)) 0 0)}
        .js .before img{height:100%}
        .js .before figcaption,.js .after figcaption{position:absolute;z-index:3;bottom:.5rem;padding:.15rem .6rem;border-radius:.4rem;\
        background:var(--elevated-background);color:var(--label)}
        .js .before figcaption{left:.5rem}
        .js .after figcaption{right:.5rem}
        .bar{display:none}
        .js .bar{display:block;position:absolute;z-index:3;top:0;bottom:0;left:var(--split,50%);width:3px;margin-left:-1.5px;\
        background:var(--elevated-background);box-shadow:0 0 0 1px var(--label);pointer-events:none}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
        caption{text-align:left;padding-bottom:.4rem}
        th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--separator);vertical-align:middle}
        th.n,td.n{text-align:right;white-space:nowrap}
        td.file{overflow-wrap:anywhere;min-width:9rem}
        td img{display:block;max-width:7.5rem;height:auto;border-radius:.25rem}
        tr.left-out td:first-child{border-left:4px solid var(--left-out)}
        .charts{display:grid;margin-bottom:1rem;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:1rem}
        .charts section{margin:0}
        svg.chart{display:block;width:100%;height:auto;max-height:26rem}
        svg text{fill:var(--label);font:13px system-ui,sans-serif}
        svg .secondary{fill:var(--secondary-label)}
        svg .axis{stroke:var(--separator);fill:none}
        svg .track{fill:var(--fill)}
        svg .path{stroke:var(--base);stroke-width:2;fill:none}
        .m-base{fill:var(--base)}.m-short{fill:var(--short)}.m-long{fill:var(--long)}.m-left-out{fill:var(--left-out)}
        .s-short{stroke:var(--short)}.s-long{stroke:var(--long)}.s-base{stroke:var(--base)}
        ul{margin:.25rem 0;padding-left:1.25rem}
        footer{font-size:.85rem}
        @media (prefers-reduced-motion:no-preference){.bar,.js .before{transition:none}.choice span{transition:border-color .15s}}
        @media print{#appearance,.split,.bar{display:none!important}}
        """
}
