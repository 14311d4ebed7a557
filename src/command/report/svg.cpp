// A scanner over gnuplot's tags. What it does not know it leaves out, so that nothing but shapes and texts gets
// through.
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "report/html_text.h"
#include "report/plot_colours.h"
#include "report/plot_script.h"

namespace transformeter {
namespace {

constexpr const char* kFont = "font-family=\"'DejaVu Sans',Verdana,sans-serif\"";
constexpr std::array<std::string_view, 7> kElements{"g", "path", "polygon", "polyline", "use", "text", "rect"};
constexpr std::array<std::string_view, 17> kAttributes{"d",
                                                       "points",
                                                       "transform",
                                                       "x",
                                                       "y",
                                                       "width",
                                                       "height",
                                                       "fill",
                                                       "stroke",
                                                       "color",
                                                       "href",
                                                       "font-size",
                                                       "fill-rule",
                                                       "text-anchor",
                                                       "stroke-width",
                                                       "stroke-dasharray",
                                                       "shape-rendering"};

// gnuplot's own symbols, by the ids its <use> elements name. They inherit fill and stroke, since not every reader of
// SVG looks up the colour of what uses them.
struct Symbol {
  std::string_view id;
  std::string_view shape;  // attributes and end of the element
};
constexpr std::string_view kDot = "#gpPt6";     // a filled circle of radius 1
constexpr std::string_view kCircle = "#gpPt5";  // a hollow one, with its line
constexpr std::array kSymbols{
    Symbol{"gpPt1", R"(<path id="{}" d="M-1,-1 L1,1 M1,-1 L-1,1" stroke-width="0.45"/>)"},
    Symbol{"gpPt8", R"(<path id="{}" d="M0,-1.33 L-1.33,0.67 L1.33,0.67 z" stroke="none"/>)"}};

// The ampersand comes last, so that nothing is decoded twice.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kEscaped{
    {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}};

struct Attribute {
  std::string_view name;
  std::string_view value;
};

struct Tag {
  std::string_view name;
  bool is_end = false;
  bool is_whole = false;  // <name/>
  std::vector<Attribute> attributes;
};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `inside` is what stands between '<' and '>'.
Tag parse_tag(std::string_view inside) {
  Tag tag;
  tag.is_end = inside.starts_with("/");
  if (tag.is_end) inside.remove_prefix(1);
  tag.is_whole = inside.ends_with("/");
  if (tag.is_whole) inside.remove_suffix(1);
  const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n"), inside.size());
  tag.name = inside.substr(0, name_end);
  inside.remove_prefix(name_end);
  while (true) {
    const std::size_t equals = inside.find('=');
    if (equals == std::string_view::npos) return tag;
    const std::size_t open = inside.find_first_of("'\"", equals);
    if (open == std::string_view::npos) return tag;
    const std::size_t close = inside.find(inside[open], open + 1);
    if (close == std::string_view::npos) return tag;
    std::string_view name = trim(inside.substr(0, equals));
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
    tag.attributes.push_back({name, inside.substr(open + 1, close - open - 1)});
    inside.remove_prefix(close + 1);
  }
}

class Cleaner {
 public:
  // `has_classes`: there are style rules for them.
  Cleaner(const SvgText& text, std::vector<PlotElement> elements, bool has_classes)
      : text_(text), elements_(std::move(elements)), has_classes_(has_classes) {}

  // False when the document is not complete.
  bool read(std::string_view svg) {
    bool is_complete = false;
    while (!svg.empty()) {
      const std::size_t open = std::min(svg.find('<'), svg.size());
      if (!pending_text_end_.empty()) body_.append(text_content(svg.substr(0, open)));
      svg.remove_prefix(open);
      const std::size_t close = svg.find('>');
      if (close == std::string_view::npos) break;
      const Tag tag = parse_tag(svg.substr(1, close - 1));
      svg.remove_prefix(close + 1);
      is_complete = is_complete || (tag.name == "svg" && tag.is_end);
      take(tag);
    }
    end_dots();
    return is_complete;
  }

  const std::string& body() const { return body_; }

  std::string definitions() const {
    std::string text;
    for (const Symbol& symbol : kSymbols) {
      if (used_.count(symbol.id) != 0) text.append(fmt::format(fmt::runtime(symbol.shape), id_of(symbol.id)));
    }
    return text.empty() ? "" : fmt::format("<defs>{}</defs>", text);
  }

 private:
  std::string id_of(std::string_view symbol) const { return fmt::format("{}-{}", text_.id, symbol.substr(2)); }

  void take(const Tag& tag) {
    if (tag.name == "defs") is_in_definitions_ = !tag.is_end;
    if (is_in_definitions_ || !is_among(kElements, tag.name)) return;
    if (const auto dot = dot_of(tag)) {
      add_dot(*dot);
      return;
    }
    end_dots();
    if (tag.is_end) {
      end(tag.name);
      return;
    }
    // Not written before something stands in it: most of gnuplot's groups are empty.
    const std::string open = fmt::format("<{}{}", tag.name, attributes(tag));
    if (tag.name == "g") {
      waiting_.push_back(fmt::format("{}>{}", open, curve_title(tag)));
      return;
    }
    flush();
    body_.append(open);
    if (tag.is_whole) {
      body_.append("/>");
    } else {
      body_.append(">");
      if (tag.name == "text") pending_text_end_ = "</text>";
    }
  }

  // Neighbours of one kind, colour and size become one path: a plot may have thousands of them.
  struct Dot {
    std::string path;   // begins at its middle
    std::string paint;  // attributes
  };

  std::optional<Dot> dot_of(const Tag& tag) {
    constexpr std::string_view kTranslate = "translate(";
    constexpr std::string_view kScale = ") scale(";
    if (tag.name != "use" || !tag.is_whole) return std::nullopt;
    std::string_view href, transform, colour;
    for (const Attribute& attribute : tag.attributes) {
      if (attribute.name == "href") href = attribute.value;
      if (attribute.name == "transform") transform = trim(attribute.value);
      if (attribute.name == "color") colour = attribute.value;
    }
    const std::size_t scale = transform.find(kScale);
    const auto role = role_of_rgb(colour);
    if ((href != kDot && href != kCircle) || !role || !transform.starts_with(kTranslate) ||
        scale == std::string_view::npos) {
      return std::nullopt;
    }
    const auto radius =
        parse_number(transform.substr(scale + kScale.size(), transform.size() - scale - kScale.size() - 1));
    if (!radius) return std::nullopt;
    const auto index = static_cast<std::size_t>(*role);
    const std::string own = has_classes_ ? fmt::format(" class=\"s{}\"", index) : "";
    const std::string middle = escape_html(transform.substr(kTranslate.size(), scale - kTranslate.size()));
    const auto paint = [&](const char* more, double width) {
      return fmt::format("fill=\"none\" {}stroke=\"{}\" stroke-width=\"{:.2f}\"{}", more, kPlotColours[index].light,
                         width, own);
    };
    // The round ends of a line alone, not of length 0, which not every reader draws.
    if (href == kDot) return Dot{fmt::format("M{}h.01", middle), paint("stroke-linecap=\"round\" ", 2 * *radius)};
    const double r = 0.95 * *radius;
    return Dot{fmt::format("M{0}m-{1:.2f},0a{1:.2f},{1:.2f} 0 1,0 {2:.2f},0a{1:.2f},{1:.2f} 0 1,0 -{2:.2f},0", middle,
                           r, 2 * r),
               paint("", 0.35 * *radius)};
  }

  void add_dot(const Dot& dot) {
    if (dot.paint != dot_paint_) {
      end_dots();
      flush();
      dot_paint_ = dot.paint;
      body_.append(fmt::format("<path {} d=\"", dot.paint));
    }
    body_.append(dot.path);
  }

  void end_dots() {
    if (!dot_paint_.empty()) body_.append("\"/>");
    dot_paint_.clear();
  }

  void end(std::string_view name) {
    if (name == "g" && !waiting_.empty()) {
      waiting_.pop_back();
      return;
    }
    body_.append(fmt::format("</{}>", name));
    if (name == "text") pending_text_end_.clear();
  }

  void flush() {
    for (const std::string& open : waiting_) body_.append(open);
    waiting_.clear();
  }

  // The groups "gnuplot_plot_1" and on are the elements in their order.
  std::string curve_title(const Tag& tag) const {
    constexpr std::string_view kPrefix = "gnuplot_plot_";
    for (const Attribute& attribute : tag.attributes) {
      if (attribute.name != "id" || !attribute.value.starts_with(kPrefix)) continue;
      const auto number = parse_integer(attribute.value.substr(kPrefix.size()));
      if (!number || *number < 1 || static_cast<std::size_t>(*number) > elements_.size()) return "";
      const std::size_t curve = elements_[static_cast<std::size_t>(*number) - 1].curve;
      if (curve >= text_.curves.size() || text_.curves[curve].empty()) return "";
      return fmt::format("<title>{}</title>", escape_html(text_.curves[curve]));
    }
    return "";
  }

  std::string attributes(const Tag& tag) {
    std::string text;
    std::string classes;
    for (const Attribute& attribute : tag.attributes) {
      // gnuplot takes the weight for a part of the font's name.
      if (attribute.name == "font-family" && attribute.value.ends_with(":Bold")) text.append(" font-weight=\"bold\"");
      if (!is_among(kAttributes, attribute.name) || is_default(tag, attribute)) continue;
      if (attribute.name == "href") {
        const std::string_view symbol = attribute.value.substr(std::min<std::size_t>(1, attribute.value.size()));
        const auto* known =
            std::find_if(kSymbols.begin(), kSymbols.end(), [&](const Symbol& one) { return one.id == symbol; });
        if (known == kSymbols.end()) continue;
        used_.insert(known->id);
        text.append(fmt::format(" href=\"#{}\"", id_of(symbol)));
        continue;
      }
      const auto role = role_of_rgb(attribute.value);
      if (!role) {
        text.append(fmt::format(" {}=\"{}\"", attribute.name, escape_html(trim(attribute.value))));
        continue;
      }
      const auto index = static_cast<std::size_t>(*role);
      const bool is_both = attribute.name == "color";
      for (const std::string_view paint : {std::string_view("fill"), std::string_view("stroke")}) {
        if (!is_both && attribute.name != paint) continue;
        text.append(fmt::format(" {}=\"{}\"", paint, kPlotColours[index].light));
        classes.append(fmt::format("{}{}{}", classes.empty() ? "" : " ", paint[0], index));
      }
    }
    return classes.empty() || !has_classes_ ? text : fmt::format("{} class=\"{}\"", text, classes);
  }

  // Groups say black, and currentColor for strokes, which every shape in them overrides.
  static bool is_default(const Tag& tag, const Attribute& attribute) {
    if (tag.name != "g") return false;
    return attribute.name == "color" || (attribute.name == "stroke" && attribute.value != "none");
  }

  // gnuplot has escaped it.
  static std::string text_content(std::string_view content) {
    std::string plain(trim(content));
    for (const auto& [escaped, character] : kEscaped) {
      for (std::size_t at = plain.find(escaped); at != std::string::npos; at = plain.find(escaped, at + 1)) {
        plain.replace(at, escaped.size(), character);
      }
    }
    return escape_html(plain);
  }

  const SvgText& text_;
  std::vector<PlotElement> elements_;
  bool has_classes_;
  std::string body_;
  std::vector<std::string> waiting_;
  std::string pending_text_end_;
  std::string dot_paint_;  // of a path that is still open
  std::set<std::string_view> used_;
  bool is_in_definitions_ = false;
};

std::string svg_element(std::string_view attributes, int width, int height, const SvgText& text,
                        const Cleaner& cleaner) {
  return fmt::format(
      "<svg {attributes} viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
      "aria-labelledby=\"{id}-title {id}-desc\"><title id=\"{id}-title\">{title}</title>"
      "<desc id=\"{id}-desc\">{description}</desc>{definitions}{body}</svg>",
      fmt::arg("attributes", attributes), fmt::arg("width", width), fmt::arg("height", height), fmt::arg("id", text.id),
      fmt::arg("title", escape_html(text.title)), fmt::arg("description", escape_html(text.description)),
      fmt::arg("definitions", cleaner.definitions()), fmt::arg("body", cleaner.body()));
}

}  // namespace

std::string clean_svg(std::string_view svg, const Plot& plot, const SvgText& text) {
  Cleaner cleaner(text, plot_elements(plot), true);
  if (!cleaner.read(svg)) return "";
  return svg_element("class=\"plot\"", plot.width, plot.height, text, cleaner);
}

std::string image_source(std::string_view clean) {
  constexpr std::string_view kBegin = "<svg";
  if (!clean.starts_with(kBegin)) return "";
  const std::string image = fmt::format("{} {}{}", kBegin, kFont, clean.substr(kBegin.size()));
  return "data:image/svg+xml;base64," + base64(image);
}

std::string standalone_svg(std::string_view svg, int width, int height, const SvgText& text) {
  Cleaner cleaner(text, {}, false);
  if (!cleaner.read(svg)) return "";
  const std::string attributes =
      fmt::format("width=\"{}\" height=\"{}\" style=\"background:#fff\" {}", width, height, kFont);
  return fmt::format("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{}\n",
                     svg_element(attributes, width, height, text, cleaner));
}

}  // namespace transformeter
