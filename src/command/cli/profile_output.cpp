// Terminal tables show times of one pass with their shares; JSON and CSV have seconds.
#include "cli/profile_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/bottlenecks.h"
#include "analysis/profile_memory.h"
#include "analysis/profile_tables.h"
#include "analysis/profile_text.h"
#include "analysis/results.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/counter_output.h"
#include "cli/text_table.h"
#include "report/csv_fields.h"
#include "report/display_text.h"
#include "report/json_text.h"
#include "schema/peak.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr const char* kHeldBefore = "(from before)";

// Which columns of a table are known.
struct KnownColumns {
  bool work = false;
  bool memory = false;
  bool host = false;
};

struct NamedTable {
  const char* name;
  std::vector<ProfileRow> rows;
  KnownColumns known;
};

std::vector<NamedTable> tables_of(const ProfileRecord& record) {
  const Profile& profile = *record.profile;
  const KnownColumns known{record.recorded.work, record.recorded.memory, profile.gpu.has_value()};
  std::vector<ProfileRow> modules;
  for (ProfileModule& module : module_rows(profile)) modules.push_back(std::move(module.row));
  std::vector<NamedTable> tables{{"phase", phase_rows(profile), known},
                                 {"module", std::move(modules), known},
                                 {"operator", operator_rows(profile), known}};
  if (std::vector<ProfileRow> stages = stage_rows(profile); !stages.empty()) {
    tables.insert(tables.begin(), {"stage", std::move(stages), known});
  }
  if (profile.gpu) tables.push_back({"kernel", kernel_rows(profile), {}});
  return tables;
}

std::string rate_cell(double flops, double seconds) {
  return flops > 0 && seconds > 0 ? peak_rate_text(flops / seconds, gemm_peak("fp32")) : "-";
}

struct TableShape {
  double whole_s = 0;  // of which shares are
  bool shows_total = true;
  bool shows_backward = false;
  bool shows_decode = false;
  bool shows_memory = false;
  bool shows_host = false;
  bool shows_rate = true;
};

// Name and calls, then times with shares, then what is known of the work.
std::string table_text(const char* heading, const std::vector<ProfileRow>& rows, const TableShape& shape) {
  std::vector<TextColumn> columns{{heading}, {"calls", true}};
  if (shape.shows_total) columns.insert(columns.end(), {{"total", true}, {"%", true}});
  columns.insert(columns.end(), {{"self", true}, {"%", true}});
  if (shape.shows_backward) columns.push_back({"backward", true});
  if (shape.shows_decode) columns.push_back({"decode", true});
  if (shape.shows_host) columns.push_back({"host", true});
  if (shape.shows_rate) columns.push_back({"rate", true});
  if (shape.shows_memory) columns.push_back({"allocated", true});
  std::vector<std::vector<std::string>> cells;
  for (const ProfileRow& row : rows) {
    std::vector<std::string> line{row.name, row.calls > 0 ? calls_number(row.calls) : "-"};
    if (shape.shows_total) {
      line.push_back(format_duration(row.total_s));
      line.push_back(share_text(row.total_s, shape.whole_s));
    }
    line.push_back(format_duration(row.self_s));
    line.push_back(share_text(row.self_s, shape.whole_s));
    if (shape.shows_backward) line.push_back(row.backward_s > 0 ? format_duration(row.backward_s) : "-");
    if (shape.shows_decode) line.push_back(row.decode_s > 0 ? format_duration(row.decode_s) : "-");
    if (shape.shows_host) line.push_back(row.host_s > 0 ? format_duration(row.host_s) : "-");
    if (shape.shows_rate) line.push_back(rate_cell(row.flops, row.self_s));
    if (shape.shows_memory) line.push_back(row.allocated_bytes > 0 ? format_bytes(row.allocated_bytes) : "-");
    cells.push_back(std::move(line));
  }
  return text_table(columns, cells);
}

std::vector<ProfileRow> first_rows(std::vector<ProfileRow> rows, std::size_t most) {
  rows.resize(std::min(rows.size(), most));
  return rows;
}

std::vector<ProfileRow> shallow_modules(const Profile& profile, std::optional<std::size_t> depth) {
  constexpr std::size_t kUsualDepth = 3;  // where no layer is numbered
  const std::size_t deepest = depth.value_or(layer_depth(profile).value_or(kUsualDepth));
  std::vector<ProfileRow> rows;
  for (ProfileModule& module : module_rows(profile)) {
    if (module.depth <= deepest) rows.push_back(std::move(module.row));
  }
  return rows;
}

std::string headline(const ProfileRecord& record) {
  const std::vector<std::string> facts = profile_facts(*record.profile, record.requested);
  return fmt::format("{} {}: {}\n", record.case_id, record.label, fmt::join(facts, "\n"));
}

std::string bottleneck_lines(const Profile& profile, const ProfileLimits& limits) {
  std::string text;
  std::size_t place = 0;
  for (const Bottleneck& one : find_bottlenecks(profile, limits)) {
    text += fmt::format("{}. {}\n", ++place, bottleneck_sentence(one, limits));
  }
  if (!limits.missing.empty()) text += fmt::format("{}\n", limits.missing);
  return text;
}

// The rows that hold most, and what they leave.
std::string memory_table(const Profile& profile, std::size_t most) {
  const ProfileMemory& memory = *profile.memory;
  std::vector<std::vector<std::string>> cells;
  const auto add = [&](const std::string& name, const std::string& blocks, double bytes) {
    cells.push_back({name, blocks, format_bytes(bytes), share_text(bytes, memory.peak_bytes)});
  };
  add(kHeldBefore, "-", memory.earlier_bytes);
  double rest_bytes = 0;
  std::int64_t rest_blocks = 0;
  for (const HeldRow& row : held_rows(profile)) {
    if (cells.size() <= most) {
      add(held_name(row), std::to_string(row.blocks), row.bytes);
    } else {
      rest_bytes += row.bytes;
      rest_blocks += row.blocks;
    }
  }
  if (rest_blocks > 0) add("(others)", std::to_string(rest_blocks), rest_bytes);
  return fmt::format("memory: {}\n", memory_text(profile)) +
         text_table({{"held at the peak"}, {"blocks", true}, {"size", true}, {"%", true}}, cells);
}

std::string kernel_table(const Profile& profile, std::size_t most) {
  constexpr std::size_t kWidestName = 80;
  std::vector<ProfileRow> rows = first_rows(kernel_rows(profile), most);
  for (ProfileRow& row : rows) row.name = cut_to_columns(row.name, kWidestName);
  return table_text("kernel", rows, {.whole_s = pass_s(profile), .shows_total = false, .shows_rate = false});
}

std::string time_cell(std::optional<double> seconds) {
  return seconds ? format_duration(*seconds) : "-";
}

std::string change_cell(double seconds) {
  return fmt::format("{}{}", seconds < 0 ? "-" : "+", format_duration(std::abs(seconds)));
}

std::string comparison_table(const char* heading, const std::vector<ProfileRow>& before,
                             const std::vector<ProfileRow>& after, std::size_t most) {
  std::vector<std::vector<std::string>> cells;
  for (const ComparedRow& row : compared_rows(before, after)) {
    if (cells.size() == most) break;
    const bool has_ratio = row.before_s.value_or(0) > 0 && row.after_s.value_or(0) > 0;
    cells.push_back({row.name, time_cell(row.before_s), time_cell(row.after_s), change_cell(row.change_s()),
                     has_ratio ? fmt::format("{:.2f}", *row.before_s / *row.after_s) : "-"});
  }
  return text_table({{heading}, {"before", true}, {"after", true}, {"change", true}, {"speed-up", true}}, cells);
}

// Means are compared; where slow passes raise one of them, medians say more.
std::string slow_passes_line(const ProfileSummary& before, const ProfileSummary& after) {
  std::vector<std::string> raised;
  if (before.slow_pass_ratio) raised.push_back(fmt::format("{:.1f} (before)", *before.slow_pass_ratio));
  if (after.slow_pass_ratio) raised.push_back(fmt::format("{:.1f} (after)", *after.slow_pass_ratio));
  if (raised.empty()) return "";
  std::string text = fmt::format("slow passes raise the mean to {} times the median", fmt::join(raised, " and "));
  const double before_s = before.profiled_median_s.value_or(0);
  const double after_s = after.profiled_median_s.value_or(0);
  if (before_s > 0 && after_s > 0) {
    text += fmt::format("; medians {}, before {} (speed-up {:.2f})", format_duration(after_s),
                        format_duration(before_s), before_s / after_s);
  }
  return text + "\n";
}

// Each profiler slows its own passes.
std::string different_counters_line(const ProfileSummary& before, const ProfileSummary& after) {
  if (before.counted_by == after.counted_by) return "";
  const auto name = [](const ProfileSummary& one) {
    return one.counted_by.empty() ? std::string("LibTorch's profiler") : one.counted_by;
  };
  std::string text = fmt::format("counted by {}, before by {}: compare shares, not times", name(after), name(before));
  const double before_s = before.unprofiled_median_s.value_or(0);
  const double after_s = after.unprofiled_median_s.value_or(0);
  if (before_s > 0 && after_s > 0) {
    text += fmt::format("; medians without a profiler {}, before {} (speed-up {:.2f})", format_duration(after_s),
                        format_duration(before_s), before_s / after_s);
  }
  return text + "\n";
}

// Null: not recorded.
Json recorded_json(double value, bool is_recorded) {
  return is_recorded ? Json(value) : Json();
}

Json row_json(const ProfileRow& row, const KnownColumns& known) {
  return {{"name", row.name},
          {"calls", row.calls},
          {"total_s", row.total_s},
          {"self_s", row.self_s},
          {"backward_s", row.backward_s},
          {"decode_s", row.decode_s},
          {"flops", recorded_json(row.flops, known.work)},
          {"bytes", recorded_json(row.bytes, known.work)},
          {"allocated_bytes", recorded_json(row.allocated_bytes, known.memory)},
          {"host_s", recorded_json(row.host_s, known.host)}};
}

Json memory_json(const Profile& profile) {
  if (!profile.memory) return Json();
  Json json = to_json(*profile.memory);
  Json held = Json::array();
  for (const HeldRow& row : held_rows(profile)) {
    held.push_back({{"stage", row.stage ? Json(name_of(*row.stage)) : Json()},
                    {"module", row.module},
                    {"operator", row.operator_name},
                    {"blocks", row.blocks},
                    {"bytes", row.bytes}});
  }
  json["held"] = std::move(held);
  return json;
}

Json bottleneck_json(const Bottleneck& one, const ProfileLimits& limits, const ProfileOptions& recorded) {
  return {{"stage", one.stage ? Json(name_of(*one.stage)) : Json()},
          {"module", one.module},
          {"operator", one.operator_name},
          {"calls", one.calls},
          {"self_s", one.self_s},
          {"share_ratio", one.share},
          {"flops", recorded_json(one.flops, recorded.work)},
          {"bytes", recorded_json(one.bytes, recorded.work)},
          {"bound", name_of(one.bound)},
          {"limit_s", one.limit_s ? Json(*one.limit_s) : Json()},
          {"sentence", bottleneck_sentence(one, limits)}};
}

Json profile_case_json(const ProfileRecord& record) {
  Json json = {{"id", record.case_id},
               {"label", record.label},
               {"status", name_of(record.status)},
               {"reason", record.reason.empty() ? Json() : Json(record.reason)},
               {"requested", record.requested}};
  if (!record.profile) return json;
  const Profile& profile = *record.profile;
  const ProfileLimits limits = profile_limits(record.effective);
  json["effective"] = record.effective;
  json["passes"] = profile.passes;
  json["batches"] = profile.batches;
  json["streams"] = profile.streams;
  json["counted_by"] = text_or_null(profile.counted_by);
  json["merged_spans"] = profile.merged_spans;
  json["unprofiled_s"] = profile.unprofiled_s;
  json["profiled_s"] = profile.profiled_s;
  json["pass_s"] = pass_s(profile);
  json["slow_down_ratio"] = slow_down_ratio(profile);
  json["self_time_ratio"] = self_time_ratio(profile);
  const std::optional<double> busy_s = gpu_busy_s(profile);
  json["gpu_busy_s"] = busy_s ? Json(*busy_s) : Json();
  for (const NamedTable& table : tables_of(record)) {
    Json& rows = json[fmt::format("{}s", table.name)] = Json::array();
    for (const ProfileRow& row : table.rows) rows.push_back(row_json(row, table.known));
  }
  json["memory"] = memory_json(profile);
  json["counters"] = counters_json(profile);
  json["counter_figures"] = counter_figures_json(profile);
  json["bottlenecks"] = Json::array();
  for (const Bottleneck& one : find_bottlenecks(profile, limits)) {
    json["bottlenecks"].push_back(bottleneck_json(one, limits, record.recorded));
  }
  return json;
}

}  // namespace

std::string profile_text(const ProfileRecord& record, const ProfileTableOptions& options) {
  if (!record.profile) {
    return fmt::format("{} {}: {}: {}\n", record.case_id, record.label, name_of(record.status), record.reason);
  }
  const Profile& profile = *record.profile;
  const TableShape whole{.whole_s = pass_s(profile),
                         .shows_backward = is_train(record.requested),
                         .shows_decode = is_generate(record.requested),
                         .shows_memory = record.recorded.memory,
                         .shows_host = profile.gpu.has_value()};
  TableShape parts = whole;
  parts.shows_total = false;
  std::string text = headline(record) + "\n" + bottleneck_lines(profile, profile_limits(record.effective));
  const std::vector<ProfileRow> stages = stage_rows(profile);
  if (!stages.empty()) text += "\n" + table_text("stage", stages, parts);
  text += "\n" + table_text("phase", phase_rows(profile), parts);
  text += "\n" + table_text("module", shallow_modules(profile, options.depth), whole);
  text += "\n" + table_text("module, all layers", first_rows(merged_module_rows(profile), options.rows), whole);
  text += "\n" + table_text("operator", first_rows(operator_rows(profile), options.rows), whole);
  if (profile.gpu) text += "\n" + kernel_table(profile, options.rows);
  if (profile.memory) text += "\n" + memory_table(profile, options.rows);
  if (const std::string counters = counter_table(profile, profiled_unit(record.requested)); !counters.empty()) {
    text += "\n" + counters;
  }
  return text;
}

std::string comparison_text(const ProfileSummary& before, const ProfileSummary& after, std::size_t rows) {
  const std::vector<std::string> changes = changed_settings(before, after);
  std::string text = fmt::format("{}: {} a {}, before {}", after.label, format_duration(after.pass_s),
                                 profiled_unit(after.requested), format_duration(before.pass_s));
  if (after.pass_s > 0) text += fmt::format(" (speed-up {:.2f}, before ÷ after)", before.pass_s / after.pass_s);
  text += "; both with the profiler\n";
  text += different_counters_line(before, after);
  text += slow_passes_line(before, after);
  if (before.peak_bytes && after.peak_bytes) {
    text +=
        fmt::format("peak memory {}, before {}\n", format_bytes(*after.peak_bytes), format_bytes(*before.peak_bytes));
  }
  text += changes.empty() ? "the same settings" : fmt::format("changed: {}", fmt::join(changes, ", "));
  text += "\n\n";
  text += comparison_table("phase", before.phases, after.phases, before.phases.size() + after.phases.size());
  text += fmt::format("\n{}", comparison_table("module, all layers", before.modules, after.modules, rows));
  text += fmt::format("\n{}", comparison_table("operator", before.operators, after.operators, rows));
  const std::string counters = counter_comparison(before, after);
  return counters.empty() ? text : text + "\n" + counters;
}

namespace {

std::string profile_json(const std::vector<ProfileRecord>& records) {
  Json cases = Json::array();
  for (const ProfileRecord& record : records) cases.push_back(profile_case_json(record));
  Json all{{"schema_version", kResultSchemaVersion}, {"cases", std::move(cases)}};
  if (!records.empty()) {
    const ProfileRecord& first = records.front();  // the command is that of all cases
    all["id"] = first.id;
    all["name"] = text_or_null(first.name);
    all["started_at"] = first.started_at;
  }
  return json_text(all);
}

std::string profile_csv(const std::vector<ProfileRecord>& records) {
  const auto number = [](double value, bool is_recorded) {
    return is_recorded ? fmt::format("{}", value) : std::string();
  };
  std::string text =
      "case,label,status,table,name,calls,total_s,self_s,backward_s,decode_s,flops,bytes,allocated_bytes,host_s,"
      "value,scaled_share,reason\r\n";
  for (const ProfileRecord& record : records) {
    const std::string begin = fmt::format("{},{},{}", record.case_id, csv_field(record.label), name_of(record.status));
    if (!record.profile) text += fmt::format("{},,,,,,,,,,,,,,{}\r\n", begin, csv_field(record.reason));
    if (!record.profile) continue;
    const Profile& profile = *record.profile;
    if (profile.memory) {
      text += fmt::format("{},held,{},,,,,,,,{},,,,\r\n", begin, kHeldBefore, profile.memory->earlier_bytes);
    }
    for (const HeldRow& row : held_rows(profile)) {
      text += fmt::format("{},held,{},{},,,,,,,{},,,,\r\n", begin, csv_field(held_name(row)), row.blocks, row.bytes);
    }
    for (const EventCount& event : profile.counters.value_or(std::vector<EventCount>())) {
      text += fmt::format("{},counter,{},,,,,,,,,,{},{},{}\r\n", begin, csv_field(event.name),
                          number(event.value.value_or(0), event.value.has_value()), event.scaled_share,
                          csv_field(event.reason));
    }
    for (const NamedTable& table : tables_of(record)) {
      for (const ProfileRow& row : table.rows) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},,,\r\n", begin, table.name, csv_field(row.name),
                            row.calls, row.total_s, row.self_s, row.backward_s, row.decode_s,
                            number(row.flops, table.known.work), number(row.bytes, table.known.work),
                            number(row.allocated_bytes, table.known.memory), number(row.host_s, table.known.host));
      }
    }
  }
  return text;
}

}  // namespace

std::string profiles_text(const std::vector<ProfileRecord>& records, const std::string& format,
                          const ProfileTableOptions& options) {
  if (format == "json") return profile_json(records);
  if (format == "csv") return profile_csv(records);
  std::string text;
  for (const ProfileRecord& record : records) {
    text += fmt::format("{}{}", text.empty() ? "" : "\n", profile_text(record, options));
  }
  return text;
}

}  // namespace transformeter
