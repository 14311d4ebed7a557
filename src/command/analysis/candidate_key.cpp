// The content is the part of a stored workload that names no setting (run/identity.h): hashes of files, or a preset.
#include "analysis/candidate_key.h"

#include "base/hash.h"

namespace transformeter {
namespace {

Json requested_values(const CaseRecord& record, std::initializer_list<const char*> names) {
  Json values = Json::array();
  for (const char* name : names) values.push_back(record.requested.value(name, Json()));
  return values;
}

// Full names: two folders may end alike.
std::string names_of(const CaseRecord& record) {
  return canonical_json(requested_values(record, {"task", "model", "data"}));
}

std::string content_of(const CaseRecord& record) {
  if (!record.effective.is_object()) return "";
  const Json workload = record.effective.value("workload", Json());
  if (!workload.is_object() || !workload.contains("model") || !workload.contains("data")) return "";
  return canonical_json({workload.at("model"), workload.at("data")});
}

}  // namespace

WorkloadKeys::WorkloadKeys(const AnalyzedRun& run) {
  for (const AnalyzedCase& one : run.cases) {
    std::string content = content_of(*one.record);
    if (!content.empty()) contents_.try_emplace(names_of(*one.record), std::move(content));
  }
}

std::string WorkloadKeys::content_text(const CaseRecord& the_case) const {
  std::string content = content_of(the_case);
  if (!content.empty()) return content;
  const auto found = contents_.find(names_of(the_case));
  return found == contents_.end() ? "" : found->second;
}

std::string WorkloadKeys::key(const CaseRecord& the_case) const {
  const std::string content = content_text(the_case);
  return content.empty() ? names_of(the_case) : canonical_json(requested_values(the_case, {"task"})) + content;
}

std::string WorkloadKeys::content(const CaseRecord& the_case) const {
  const std::string content = content_text(the_case);
  return content.empty() ? "" : sha256_hex(content).substr(0, 8);
}

}  // namespace transformeter
