// WeasyPrint 57 knows neither grids nor much of flexible boxes: what stands side by side is an inline block.
#include "report/print_style.h"

namespace transformeter {
namespace {

constexpr const char* kPrint = R"(@media print{:root{color-scheme:light;--page:#fff}
body{font-size:9.5pt;line-height:1.4}.page{max-width:none;padding:0}nav,.skip{display:none}
h1{font-size:18pt}h2{font-size:13pt;margin:16pt 0 6pt}h3{font-size:10.5pt;margin:11pt 0 4pt}h4{font-size:9.5pt}
h1,h2,h3,h4,caption,.opened,.sub .about{break-after:avoid}p,li{orphans:2;widows:2}
.card,.scroll,figure,pre{border-radius:3pt}.card{padding:6pt 9pt;margin:6pt 0}.card .lead li{font-size:10.5pt}
.scroll{overflow:visible;margin:6pt 0}table{font-size:8pt}th,td{padding:2pt 4pt}
thead{display:table-header-group}thead th,thead th.n{font-size:7.5pt;white-space:normal}
caption,.soft,.about,figcaption{font-size:8pt}caption{padding:4pt}caption span{position:static;max-width:none}
.why,.interval{font-size:7pt}.why{max-width:none}
.wide,tbody th:not(.n),tbody th.wide{min-width:0;max-width:none;overflow-wrap:anywhere}
.chip{border:1px solid;padding:0 4pt;font-size:7.5pt}
.chips,.legend{display:block}.chips li,.legend li{display:inline-block;margin:0 6pt 2pt 0}.legend{font-size:7.5pt}
.legend svg{margin-right:3pt;vertical-align:middle}
figure,tr,.notice,.lead li{break-inside:avoid}
.figures{display:block;orphans:1;widows:1}figure{display:inline-block;width:87mm;padding:5pt;margin:0 1mm 4pt 0;vertical-align:top}
figure h3,figure h4,figure h5{font-size:9pt;margin:0 0 2pt}
.sub>h3,.sub>h4{display:block}.sub table{font-size:6.5pt}.sub th,.sub td{padding:1pt 4pt}.sub thead th{font-size:6.5pt}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8pt;padding:5pt 7pt}
article.run+article.run{border-top:0;break-before:page;margin-top:0;padding-top:0}footer{margin-top:12pt}
details::details-content{content-visibility:visible;display:block;height:auto;block-size:auto}}
)";

constexpr const char* kPaper = R"(@page{margin:17mm 15mm 15mm;
@top-left{content:string(title);font:8pt sans-serif;color:#555e6b}
@bottom-right{content:counter(page) " / " counter(pages);font:8pt sans-serif;color:#555e6b}}
@page:first{@top-left{content:none}}
.page,.card,.scroll,figure,pre,.notice{box-sizing:border-box}
.card,.scroll,figure,pre{border:.5pt solid var(--line)}.card ul+ul,th,td{border-top:.5pt solid var(--line)}
.notice{border-left:3pt solid var(--warn)}
h1{string-set:title content()}
.page p,.page li{max-width:200mm}td p{max-width:none}
table{table-layout:fixed}th,td{overflow-wrap:anywhere}.n{overflow-wrap:normal}
table.dense{font-size:6.5pt}.dense thead th,.dense .chip,.dense .why,.dense .interval{font-size:6pt}
.dense th,.dense td{padding:1.5pt 2pt}
.opened{font-weight:600;margin:9pt 0 3pt}
nav{display:block;columns:2;column-gap:18pt;padding:6pt 0;font-size:9pt;border-block:0;
border-top:.5pt solid var(--line);border-bottom:.5pt solid var(--line)}
nav a{display:block;color:var(--text)}nav a::after{content:leader(" .") " " target-counter(attr(href),page);color:var(--soft)}
)";

}  // namespace

std::string print_style() {
  return kPrint;
}

std::string paper_style(Medium paper) {
  return std::string(paper == Medium::kLandscapePaper ? "@page{size:A4 landscape}\n" : "@page{size:A4}\n") + kPaper;
}

}  // namespace transformeter
