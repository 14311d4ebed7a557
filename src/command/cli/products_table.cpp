// What is the same in many rows stands above them, and long cells go on below, so that no line is wide.
#include "cli/products_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "cli/text_table.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr std::size_t kColumnGap = 2;           // of text_table
constexpr std::size_t kLongestKernelName = 20;  // the last column is no narrower

const std::vector<TextColumn> kColumns{
    {"rows"}, {"in × out", true}, {"kernel"}, {"time", true}, {"others, times slower"}};

struct ProductRow {
  std::vector<std::string> uses;
  std::string size;
  std::string kernel;
  std::string time = "-";
  std::string others;
};

ProductRow row_of(const ProductChoice& one) {
  ProductRow row;
  for (const ProductUse& use : one.size.uses) {
    row.uses.push_back(use.what.empty() ? std::to_string(use.rows) : fmt::format("{}, {}", use.rows, use.what));
  }
  if (row.uses.empty()) row.uses.emplace_back();
  row.size = fmt::format("{} × {}", one.size.inputs, one.size.outputs);
  row.kernel = one.kernel;
  const auto chosen = std::find_if(one.trials.begin(), one.trials.end(),
                                   [&](const KernelTrial& trial) { return trial.name == one.kernel; });
  if (chosen == one.trials.end()) return row;
  row.time = format_duration(chosen->seconds);
  std::vector<std::string> others;
  for (const KernelTrial& trial : one.trials) {
    if (trial.name == one.kernel) continue;
    others.push_back(trial.refusal.empty() ? fmt::format("{} {:.2f}", trial.name, trial.seconds / chosen->seconds)
                                           : fmt::format("{} left out: {}", trial.name, trial.refusal));
  }
  row.others = fmt::format("{}", fmt::join(others, ", "));
  return row;
}

// Where the last column begins.
std::size_t indent_of(const std::vector<ProductRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : kColumns) widths.push_back(display_width(column.heading));
  for (const ProductRow& row : rows) {
    for (const std::string& use : row.uses) widths[0] = std::max(widths[0], display_width(use));
    widths[1] = std::max(widths[1], display_width(row.size));
    widths[2] = std::max(widths[2], display_width(row.kernel));
    widths[3] = std::max(widths[3], display_width(row.time));
  }
  return widths[0] + widths[1] + widths[2] + widths[3] + 4 * kColumnGap;
}

std::string table_of(const std::vector<ProductRow>& rows, std::size_t width) {
  const std::size_t indent = indent_of(rows);
  const std::size_t room = std::max(kLongestKernelName, width > indent ? width - indent : 0);
  std::vector<std::vector<std::string>> lines;
  for (const ProductRow& row : rows) {
    const std::vector<std::string> others = split(wrapped(row.others, room), '\n');
    const std::size_t count = std::max(row.uses.size(), others.size());
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_first = i == 0;
      lines.push_back({i < row.uses.size() ? row.uses[i] : "", is_first ? row.size : "", is_first ? row.kernel : "",
                       is_first ? row.time : "", i < others.size() ? others[i] : ""});
    }
  }
  return text_table(kColumns, lines);
}

}  // namespace

std::string products_table(const std::vector<ProductChoice>& products, std::size_t width) {
  if (products.empty()) return "none tried yet: run --engine fast with a fixed --sequence-length\n";
  std::vector<std::pair<std::string, std::vector<ProductRow>>> tables;
  for (const ProductChoice& one : products) {
    const std::string heading =
        fmt::format("{}, {}, tried {}", one.size.precision,
                    counted(static_cast<std::size_t>(one.size.threads), "thread"), one.tried_at.substr(0, 10));
    auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.first == heading; });
    if (found == tables.end()) found = tables.insert(tables.end(), {heading, {}});
    found->second.push_back(row_of(one));
  }
  std::string text;
  for (const auto& [heading, rows] : tables) {
    if (!text.empty()) text += "\n";
    append_line(text, heading);
    text += table_of(rows, width);
  }
  return text;
}

}  // namespace transformeter
