// Rates with three digits and the prefix that fits.
#include "cli/peaks_table.h"

#include <fmt/format.h>

#include <set>

#include "base/units.h"
#include "cli/text_table.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

std::string name_text(const std::string& quantity) {
  if (quantity == kReadBandwidthPeak) return "memory bandwidth, reading";
  return quantity == kBandwidthPeak ? "memory bandwidth" : "matrix products, " + quantity.substr(5);
}

std::string rate_cell(const Peak& peak) {
  if (!peak.rate) return "-";
  std::string text = peak_rate_text(peak.rate->value, peak.quantity);
  if (const auto half_width = relative_half_width(*peak.rate)) text.append(" ").append(format_half_width(*half_width));
  return text;
}

std::string kernel_cell(const Peak& peak) {
  if (!peak.best) return peak.reason;
  if (!is_bandwidth(peak.quantity)) return fmt::format("{} {}", peak.best->kernel, fmt::join(peak.best->shape, "×"));
  const std::string size = format_bytes(static_cast<double>(peak.best->shape.front()));
  if (peak.quantity == kReadBandwidthPeak) return fmt::format("sum of an array of {}", size);
  std::string text = fmt::format("triad, arrays of {}", size);
  for (const PeakPoint& point : peak.points) {
    if (point.kernel == "copy") text += fmt::format("; copy {}", peak_rate_text(point.rate, peak.quantity));
  }
  return text;
}

// One line for each thing to know, however many peaks it is about.
std::vector<std::string> note_lines(const std::vector<PeakRecord>& records) {
  std::set<std::string> notes;
  double load = 0;
  for (const PeakRecord& record : records) {
    notes.insert(record.peak.notes.begin(), record.peak.notes.end());
    load = std::max(load, record.peak.foreign_load.value_or(0));
  }
  std::vector<std::string> lines;
  for (const std::string& note : notes) lines.push_back("note: " + note);
  if (load > kMaxForeignLoad) {
    lines.push_back(fmt::format(
        "doubtful: background load kept up to {:.2f} processors busy; the true peaks are higher. Measure again "
        "with --force on a quiet machine",
        load));
  }
  return lines;
}

}  // namespace

std::string peaks_table(const std::vector<PeakRecord>& records, const std::string& store) {
  std::vector<std::vector<std::string>> rows;
  for (const PeakRecord& record : records) {
    rows.push_back({std::to_string(record.place.threads), name_text(record.peak.quantity), rate_cell(record.peak),
                    kernel_cell(record.peak), record.measured_at.substr(0, 16)});
  }
  std::string text = text_table({{"threads", true}, {"peak"}, {"rate", true}, {"best by"}, {"measured (UTC)"}}, rows);
  for (const std::string& line : note_lines(records)) text += line + "\n";
  if (records.empty()) return text;
  const PeakPlace& place = records.front().place;
  return text + fmt::format("host {}, {}, in {}\n", place.fingerprint, place.runtime, store);
}

std::string peaks_json(const std::vector<PeakRecord>& records) {
  Json peaks = Json::array();
  for (const PeakRecord& record : records) peaks.push_back(to_json(record));
  return Json{{"peaks", std::move(peaks)}}.dump(2) + "\n";
}

}  // namespace transformeter
