// Texts of the profile stand in attributes and text nodes alone, escaped; the script finds them there.
#include "report/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/profile_tables.h"
#include "base/units.h"
#include "report/display_text.h"
#include "report/flame_graph_script.h"
#include "report/html_text.h"
#include "report/profile_stacks.h"

namespace transformeter {
namespace {

constexpr double kWidth = 1200;
constexpr double kMargin = 10;
constexpr double kFrameHeight = 18;
constexpr double kTop = 58;
constexpr double kLetterWidth = 7;
// Narrower frames cannot be seen before a zoom, and hardly after.
constexpr double kNarrowest = 0.05;

struct PlacedFrame {
  const StackFrame* frame;
  std::string label;
  double left;  // of the whole pass, 0 to 1
  double width;
  std::size_t level;
};

// A module's name inside the one that it stands on: "attention" on "distilbert.transformer.layer.0"; an operator's
// without the library that nearly all are of.
std::string label_of(const StackFrame& frame, const StackFrame* below) {
  constexpr std::string_view kLibrary = "aten::";
  std::string_view name = frame.name;
  if (below != nullptr && frame.name.starts_with(below->name + ".")) name.remove_prefix(below->name.size() + 1);
  if (frame.kind == ProfileNodeKind::kOperator && name.starts_with(kLibrary)) name.remove_prefix(kLibrary.size());
  return one_line(std::string(name));
}

// As in the script: a module's name begins to make sense at its end.
std::string fitting_label(const PlacedFrame& one, std::size_t letters) {
  if (letters < 3) return "";
  std::string_view name = one.label;
  while (one.frame->kind == ProfileNodeKind::kModule && name.size() > letters) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
  }
  return cut_to_columns(std::string(name), letters);
}

void place(const StackFrame& frame, const StackFrame* below, double left, std::size_t level, double whole_s,
           std::vector<PlacedFrame>& placed) {
  const double width = whole_s > 0 ? frame.total_s / whole_s : 0;
  if (width * (kWidth - 2 * kMargin) < kNarrowest) return;
  placed.push_back({&frame, label_of(frame, below), left, width, level});
  for (const StackFrame& inner : frame.inside) {
    place(inner, &frame, left, level + 1, whole_s, placed);
    left += whole_s > 0 ? inner.total_s / whole_s : 0;
  }
}

// A hue for each phase, a shade for each name.
std::string colour_of(const StackFrame& frame) {
  constexpr int kHues[] = {280, 205, 25, 60, 340, 175};
  std::uint32_t hash = 2166136261U;
  for (const char c : frame.name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  const int hue = frame.phase ? kHues[static_cast<std::size_t>(*frame.phase)] : 120;
  const int saturation = frame.kind == ProfileNodeKind::kOperator ? 70 : frame.phase ? 45 : 12;
  return fmt::format("hsl({},{}%,{}%)", hue, saturation, 68 + hash % 12);
}

std::string frame_svg(const PlacedFrame& one, const StackFrame& whole, std::size_t levels) {
  const double inner_width = kWidth - 2 * kMargin;
  const double x = kMargin + one.left * inner_width;
  const double y = kTop + static_cast<double>(levels - 1 - one.level) * kFrameHeight;
  const double width = one.width * inner_width;
  const std::string name = one_line(one.frame->name);
  const std::string about =
      fmt::format("{}: {} ({:.1f} % of the {}), {} in it alone, {}", name, format_duration(one.frame->total_s),
                  whole.total_s > 0 ? 100 * one.frame->total_s / whole.total_s : 0, whole.name,
                  format_duration(one.frame->self_s), calls_text(one.frame->calls));
  const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 6) / kLetterWidth));
  const char* kind = one.frame->kind == ProfileNodeKind::kModule ? "m" : "";
  return fmt::format(
      "<g class=\"f\" data-l=\"{:.6f}\" data-w=\"{:.6f}\" data-n=\"{}\" data-k=\"{}\"><title>{}</title><rect "
      "x=\"{:.2f}\" "
      "y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"{}\"/><text x=\"{:.2f}\" y=\"{:.0f}\">{}</text></g>\n",
      one.left, one.width, escape_html(one.label), kind, escape_html(about), x, y, width, kFrameHeight - 1,
      colour_of(*one.frame), x + 3, y + kFrameHeight - 5, escape_html(fitting_label(one, letters)));
}

}  // namespace

std::string flame_graph(const Profile& profile, const std::string& title) {
  const StackFrame whole = stack_frames(profile);
  std::vector<PlacedFrame> placed;
  place(whole, nullptr, 0, 0, whole.total_s, placed);
  std::size_t levels = 1;
  for (const PlacedFrame& one : placed) levels = std::max(levels, one.level + 1);
  const double height = kTop + static_cast<double>(levels) * kFrameHeight + kMargin;
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n"
      "<style>text{{font:12px monospace;fill:#111;pointer-events:none}}.f{{cursor:pointer}}"
      ".f:hover rect{{stroke:#111}}#title{{font-size:15px}}#reset{{cursor:pointer;pointer-events:auto;fill:#05c}}"
      "</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text id=\"title\" x=\"{2:.0f}\" y=\"22\">{3}</text>\n"
      "<text id=\"about\" x=\"{2:.0f}\" y=\"44\">One {6}: {4}. Click a frame to zoom.</text>\n"
      "<text id=\"reset\" x=\"{5:.0f}\" y=\"22\" visibility=\"hidden\">reset zoom</text>\n",
      kWidth, height, kMargin, escape_html(one_line(title)), escape_html(format_duration(whole.total_s)),
      kWidth - kMargin - 10 * kLetterWidth, escape_html(one_line(whole.name)));
  for (const PlacedFrame& one : placed) text += frame_svg(one, whole, levels);
  return text.append(flame_graph_script()).append("</svg>\n");
}

}  // namespace transformeter
