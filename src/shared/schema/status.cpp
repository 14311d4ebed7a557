// Names of the typed results and the rule that turns a run's results into an exit code.
#include "schema/status.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace transformeter {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 9> kNames{{
    {Status::kOk, "ok"},
    {Status::kOutOfMemory, "out_of_memory"},
    {Status::kImpliedOutOfMemory, "implied_out_of_memory"},
    {Status::kUnsupportedShape, "unsupported_shape"},
    {Status::kUnsupported, "unsupported"},
    {Status::kTimeout, "timeout"},
    {Status::kCrashed, "crashed"},
    {Status::kFailed, "failed"},
    {Status::kInterrupted, "interrupted"},
}};

}  // namespace

std::string_view name_of(Status status) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& row) { return row.first == status; });
  return found == kNames.end() ? "failed" : found->second;
}

Status status_from_name(std::string_view name) {
  std::vector<std::string> allowed;
  for (const auto& [status, text] : kNames) {
    if (text == name) return status;
    allowed.emplace_back(text);
  }
  throw unknown_value("status", name, allowed);
}

namespace {

constexpr std::array kErrors{std::pair(ErrorKind::kUnsupported, Status::kUnsupported),
                             std::pair(ErrorKind::kUnsupportedShape, Status::kUnsupportedShape),
                             std::pair(ErrorKind::kOutOfMemory, Status::kOutOfMemory),
                             std::pair(ErrorKind::kTimeout, Status::kTimeout),
                             std::pair(ErrorKind::kInterrupted, Status::kInterrupted)};

}  // namespace

Status status_of(ErrorKind kind) {
  for (const auto& [error, status] : kErrors) {
    if (error == kind) return status;
  }
  return Status::kFailed;
}

std::optional<ErrorKind> kind_of(Status status) {
  for (const auto& [error, given] : kErrors) {
    if (given == status) return error;
  }
  return std::nullopt;
}

bool is_answer(Status status) {
  return status <= Status::kUnsupported;
}

int exit_code(const std::vector<Status>& statuses, bool strict) {
  const auto any = [&](auto&& predicate) { return std::any_of(statuses.begin(), statuses.end(), predicate); };
  if (any([](Status status) { return status == Status::kInterrupted; })) return kExitInterrupted;
  if (any([](Status status) { return !is_answer(status); })) return kExitFault;
  if (strict && any([](Status status) { return status != Status::kOk; })) return kExitFault;
  return any([](Status status) { return status == Status::kOk; }) ? kExitOk : kExitFault;
}

}  // namespace transformeter
