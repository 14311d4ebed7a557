// The hub tells causes apart by the header X-Error-Code; statuses alone do not (an unknown model answers 401).
#include "hub/hub_errors.h"

#include <fmt/format.h>

#include "base/text.h"
#include "hub/hub_answers.h"

namespace transformeter {
namespace {

std::string page_of(const Repository& repository, const HubOptions& options) {
  const char* folder = repository.type == RepositoryType::kDataset ? "datasets/" : "";
  return fmt::format("{}/{}{}", options.endpoint, folder, repository.name);
}

std::string token_advice(const HubOptions& options) {
  return options.token.empty() ? "Set HF_TOKEN to your access token, or store it in the file HF_HOME/token."
                               : "The token in HF_TOKEN or HF_HOME/token may be invalid or lack permission.";
}

// What the server itself says, in brackets.
std::string reason_of(const HttpResponse& response) {
  constexpr std::size_t kShown = 300;
  std::string reason = response.header("x-error-message");
  if (reason.empty()) reason = parse_error_answer(response.body);
  return reason.empty() ? "" : fmt::format(" ({})", excerpt(reason, kShown));
}

std::string gated_message(const Repository& repository, const HubOptions& options) {
  return fmt::format("{} '{}' is gated. Accept its terms at {}, then use the token of that account. {}",
                     name_of(repository.type), repository.name, page_of(repository, options), token_advice(options));
}

}  // namespace

Error hub_refusal(const HttpResponse& response, const std::string& request, const Repository& repository,
                  const HubOptions& options) {
  if (!response.fault.empty()) {
    return Error(ErrorKind::kEnvironment,
                 fmt::format("cannot get {} from {}: {}", request, options.endpoint, response.fault));
  }
  const std::string code = response.header("x-error-code");
  const std::string reason = reason_of(response);
  const auto bad_input = [](const std::string& message) { return Error(ErrorKind::kBadInput, message); };
  if (code == "GatedRepo") return bad_input(gated_message(repository, options) + reason);
  if (code == "RevisionNotFound") {
    return bad_input(fmt::format("{} has no such branch, tag or commit{}; see {}/tree/main", request, reason,
                                 page_of(repository, options)));
  }
  if (code == "RepoNotFound" || response.status == 404) {
    return bad_input(fmt::format("cannot get {}: {} has no such {}{}, or it is private. {}", request, options.endpoint,
                                 code == "EntryNotFound" ? "file" : name_of(repository.type), reason,
                                 token_advice(options)));
  }
  if (response.status == 401) {
    return bad_input(
        fmt::format("cannot get {}: {} requires a login{}: there is no such {}, or it is private. "
                    "{}",
                    request, options.endpoint, reason, name_of(repository.type), token_advice(options)));
  }
  if (response.status == 403) {
    return bad_input(fmt::format("{} refused {}{}. {}", options.endpoint, request, reason, token_advice(options)));
  }
  if (response.status == 429) {
    const std::string after = response.header("retry-after");
    return Error(ErrorKind::kEnvironment,
                 fmt::format("{} limits the request rate (429){}; try again {}", options.endpoint, reason,
                             after.empty() ? "later" : fmt::format("after {} s", excerpt(after))));
  }
  return Error(ErrorKind::kEnvironment,
               fmt::format("cannot get {}: {} responded {}{}", request, options.endpoint, response.status, reason));
}

}  // namespace transformeter
