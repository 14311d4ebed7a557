// Colours are variables, so that dark and print change nothing else. Text has a contrast of 4.5 : 1 or more on its
// ground.
#include "report/html_style.h"

#include <map>
#include <string_view>

#include "base/text.h"
#include "report/plot_colours.h"
#include "report/print_style.h"

namespace transformeter {
namespace {

constexpr const char* kColours = R"(:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--text:#1b2129;--soft:#555e6b;--line:#d9dee5;--link:#0b57b0;--stripe:#f3f5f8;
--good:#0d6b43;--good-ground:#dff3e8;--warn:#7d4e00;--warn-ground:#fdeecb;--bad:#a01a30;--bad-ground:#fce1e4;
--flat:#4a525e;--flat-ground:#e8ebef}
@media screen and (prefers-color-scheme:dark){:root{
--page:#0f1216;--card:#171b21;--text:#e6eaf0;--soft:#a4adb9;--line:#303741;--link:#7ab8ff;--stripe:#1c2128;
--good:#6fdca6;--good-ground:#123526;--warn:#f2c265;--warn-ground:#3b2c0c;--bad:#ff9aa6;--bad-ground:#431a21;
--flat:#b6bfca;--flat-ground:#2a3038}}
)";

// On paper those that need it: WeasyPrint holds such a rule against each cell.
constexpr const char* kBoxes = "*{box-sizing:border-box}\n";

constexpr const char* kPage = R"(html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
"Helvetica Neue",Arial,sans-serif}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.page{max-width:76rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1,h2,h3,h4{line-height:1.25;margin:0;overflow-wrap:anywhere}
h1{font-size:1.9rem;letter-spacing:-.01em}
h2{font-size:1.3rem;margin:2.25rem 0 .75rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
p{margin:.5rem 0}
.brand{margin:0;color:var(--soft);font-size:.85rem;font-weight:600;letter-spacing:.04em}
.soft{color:var(--soft)}
.about{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:1rem 0 0;padding:.6rem 0;border-block:1px solid var(--line);
font-size:.92rem}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
.skip{position:absolute;left:-100vw}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem;z-index:1}
article.run+article.run{margin-top:3.5rem;padding-top:1.5rem;border-top:3px solid var(--line)}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.15rem;margin:.75rem 0}
.card ul{margin:0;padding-left:1.15rem}
.card li{margin:.35rem 0;overflow-wrap:anywhere}
.card .lead li{font-size:1.1rem;font-weight:550}
.card ul+ul,.card details+ul{margin-top:.75rem;padding-top:.6rem;border-top:1px solid var(--line)}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:.75rem 0;padding:0;list-style:none}
.chip{display:inline-block;border-radius:1rem;padding:.05rem .65rem;font-size:.85rem;font-weight:600;white-space:nowrap;
color:var(--flat);background:var(--flat-ground)}
.chip.good{color:var(--good);background:var(--good-ground)}
.chip.warn{color:var(--warn);background:var(--warn-ground)}
.chip.bad{color:var(--bad);background:var(--bad-ground)}
.notice{border-left:4px solid var(--warn);background:var(--warn-ground);color:var(--text);border-radius:.3rem;
padding:.6rem .9rem;margin:1rem 0;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;overflow-x:auto;
font:.88rem/1.5 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--link);padding:.15rem 0}
)";

constexpr const char* kTables =
    R"(.scroll{container-type:inline-size;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.6rem;margin:.75rem 0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);font-size:.88rem;padding:.6rem .8rem .4rem;caption-side:top}
caption span{position:sticky;left:.8rem;display:inline-block;max-width:calc(100cqi - 1.6rem)}
th,td{padding:.4rem .8rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{font-size:.82rem;color:var(--soft);font-weight:600;white-space:nowrap;vertical-align:bottom}
tbody th{font-weight:600}tbody th:not(.n){min-width:7rem}tbody th.wide{min-width:14rem}td .chips{margin:0}
tbody tr:nth-child(even){background:var(--stripe)}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.interval{display:block;color:var(--soft);font-size:.8rem}
.why{display:block;color:var(--soft);font-size:.82rem;font-weight:400;max-width:18rem;overflow-wrap:anywhere}
.wide{min-width:12rem;max-width:34rem;overflow-wrap:anywhere}
)";

constexpr const char* kFigures = R"(.figures{display:grid;gap:1rem;margin:.75rem 0;
grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr))}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem .9rem .7rem;
display:flex;flex-direction:column;min-width:0}
figure h3,figure h4,figure h5{margin:0 0 .4rem;font-size:1rem}
figcaption{color:var(--soft);font-size:.85rem;margin-top:.35rem}
.plot{display:block;width:100%;height:auto;max-width:46rem;margin:0 auto}
.plot text{font-family:inherit}
.legend{display:flex;flex-wrap:wrap;gap:.15rem 1rem;list-style:none;margin:.25rem 0 0;padding:0;font-size:.85rem}
.legend li{display:flex;align-items:center;gap:.4rem;min-width:0;overflow-wrap:anywhere}
.legend svg{width:1.9rem;height:.8rem;flex:none}
.sub{padding-top:.35rem}
.sub>h3,.sub>h4{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
.sub .figures{margin-top:.4rem}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media (max-width:40rem){.page{padding:1rem .8rem 3rem}h1{font-size:1.5rem}th,td{padding:.4rem .5rem}.why{max-width:9.5rem}
tbody th.wide{min-width:8rem}thead th,thead .n{white-space:normal}
.card .lead li{font-size:1.02rem}figure{padding:.6rem .5rem}.plot text{font-size:15.5px}}
)";

constexpr std::string_view kRoot = ":root{";
constexpr std::string_view kVariable = "var(";

// "--text" to "#1b2129", of light pages on white paper.
std::map<std::string, std::string> paper_colours() {
  const std::string_view all(kColours);
  const std::string_view light = all.substr(kRoot.size(), all.find('}') - kRoot.size());
  std::map<std::string, std::string> colours;
  for (const std::string& declaration : split(light, ';')) {
    const std::size_t colon = declaration.find(':');
    colours[std::string(trim(declaration.substr(0, colon)))] = declaration.substr(colon + 1);
  }
  colours["--page"] = "#fff";
  return colours;
}

std::string without_variables(std::string style) {
  for (std::size_t at = style.find(kRoot); at != std::string::npos; at = style.find(kRoot, at)) {
    style.erase(at, style.find('}', at) + 1 - at);
  }
  const std::map<std::string, std::string> colours = paper_colours();
  for (std::size_t at = style.find(kVariable); at != std::string::npos; at = style.find(kVariable, at)) {
    const std::size_t name = at + kVariable.size();
    const std::size_t end = style.find(')', at);
    style.replace(at, end + 1 - at, colours.at(style.substr(name, end - name)));
  }
  return style;
}

}  // namespace

std::string html_style(Medium medium) {
  const std::string shared = std::string(kPage) + kTables + kFigures;
  if (is_paper(medium)) return without_variables(shared + print_style() + paper_style(medium));
  return std::string(kColours) + kBoxes + shared + plot_style_rules() + print_style();
}

}  // namespace transformeter
