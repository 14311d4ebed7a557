// One JSON file, written after each change.
#include "pipeline/pipeline_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_file.h"

namespace transformeter {
namespace {

constexpr int kVersion = 1;
constexpr std::array kStateNames{"begun", "done", "failed", "stopped", "left out"};

StepState state_named(const std::string& name) {
  const auto found = std::find(kStateNames.begin(), kStateNames.end(), name);
  if (found == kStateNames.end()) throw Error(ErrorKind::kBadInput, fmt::format("no state is named '{}'", name));
  return static_cast<StepState>(found - kStateNames.begin());
}

Json json_of(const StepRecord& record) {
  return {{"name", record.name},
          {"command", record.command},
          {"input_sha256", record.input_sha256},
          {"state", name_of(record.state)},
          {"reason", record.reason},
          {"shown_runs", record.shown_runs},
          {"run_id_before", record.run_id_before},
          {"duration_s", record.duration_s ? Json(*record.duration_s) : Json()}};
}

StepRecord record_from(const Json& json) {
  StepRecord record;
  record.name = json.at("name").get<std::string>();
  record.command = json.at("command").get<std::string>();
  record.input_sha256 = json.at("input_sha256").get<std::string>();
  record.state = state_named(json.at("state").get<std::string>());
  record.reason = json.at("reason").get<std::string>();
  record.shown_runs = json.at("shown_runs").get<std::vector<std::string>>();
  record.run_id_before = json.at("run_id_before").get<std::string>();
  if (!json.at("duration_s").is_null()) record.duration_s = json.at("duration_s").get<double>();
  return record;
}

}  // namespace

std::string_view name_of(StepState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

StepRecord record_of(const PipelineStep& step) {
  StepRecord record;
  record.name = step.name;
  record.command = command_of(step);
  if (!step.input.empty()) record.input_sha256 = sha256_hex(step.input_text);
  return record;
}

PipelineState::PipelineState(const std::filesystem::path& folder, std::string name)
    : file_(folder / "pipeline.json"), name_(std::move(name)) {
  std::error_code code;
  if (!std::filesystem::exists(file_, code)) return;
  std::string other;
  try {
    const Json json = parse_json(file_.string(), read_file(file_));
    if (json.at("version") != kVersion) throw Error(ErrorKind::kBadInput, "it is of another version");
    other = json.at("pipeline").get<std::string>();
    measured_ = json.at("measured").get<std::map<std::string, int>>();
    for (const Json& step : json.at("steps")) records_.push_back(record_from(step));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' cannot be read: {}. Remove it to do every step again, or choose another folder.",
                            file_.string(), error.what()));
  }
  if (other != name_) {
    throw Error(ErrorKind::kBadInput, fmt::format("folder '{}' holds pipeline '{}', not '{}'; choose another with -o",
                                                  folder.string(), other, name_));
  }
}

const StepRecord* PipelineState::earlier(const PipelineStep& step) const {
  const StepRecord now = record_of(step);
  for (const StepRecord& record : records_) {
    if (record.name != now.name) continue;
    return record.command == now.command && record.input_sha256 == now.input_sha256 ? &record : nullptr;
  }
  return nullptr;
}

std::vector<std::string> PipelineState::measured(const std::vector<std::string>& runs) const {
  std::vector<std::string> all;
  for (const std::string& run : runs) {
    const auto found = measured_.find(run);
    all.push_back(fmt::format("{} {}", run, found == measured_.end() ? 0 : found->second));
  }
  return all;
}

void PipelineState::keep(const StepRecord& record) {
  const auto same = std::find_if(records_.begin(), records_.end(),
                                 [&](const StepRecord& other) { return other.name == record.name; });
  if (same == records_.end()) {
    records_.push_back(record);
  } else {
    *same = record;
  }
  Json steps = Json::array();
  for (const StepRecord& one : records_) steps.push_back(json_of(one));
  write_json_file(file_,
                  {{"version", kVersion}, {"pipeline", name_}, {"measured", measured_}, {"steps", std::move(steps)}});
}

}  // namespace transformeter
