// Paths and bodies as huggingface_hub sends them (its hf_api.py, _commit_api.py and lfs.py document the protocol).
#include "hub/hub_api.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "hub/hub_errors.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxPages = 5000;
constexpr std::size_t kMaxFiles = 1'000'000;
constexpr const char* kLfsContent = "application/vnd.git-lfs+json";

// The address in a header `<URL>; rel="next"`, or nothing.
std::string next_page(const HttpResponse& response) {
  for (const std::string& link : split(response.header("link"), ',')) {
    const std::size_t begin = link.find('<');
    const std::size_t end = link.find('>');
    if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
    if (link.find("rel=\"next\"", end) != std::string::npos) return link.substr(begin + 1, end - begin - 1);
  }
  return {};
}

std::string title_of(const Repository& repository) {
  return fmt::format("{} '{}'", name_of(repository.type), repository.name);
}

}  // namespace

HttpRequest HubApi::request_to(std::string url) const {
  HttpRequest request;
  request.url = std::move(url);
  if (origin_of(request.url) == origin_of(options_.endpoint)) request.token = options_.token;
  return request;
}

std::string HubApi::api_url(const Repository& repository, std::string_view rest) const {
  return fmt::format("{}/api/{}s/{}{}", options_.endpoint, name_of(repository.type), repository.name, rest);
}

void HubApi::check(const HttpResponse& response, const std::string& request, const Repository& repository) const {
  if (!response.is_success()) throw hub_refusal(response, request, repository, options_);
}

HttpResponse HubApi::get(const std::string& url, const std::string& what, const Repository& repository) {
  HttpResponse response = http_.send(request_to(url));
  check(response, what, repository);
  return response;
}

HttpResponse HubApi::post(const std::string& url, const Json& body, const std::string& content_type) {
  HttpRequest request = request_to(url);
  request.method = "POST";
  request.body = body.dump();
  request.headers = {{"Content-Type", content_type}, {"Accept", content_type}};
  return http_.send(request);
}

std::string HubApi::commit_of(const Repository& repository, const std::string& revision) {
  check_revision(revision);
  const std::string what = fmt::format("revision '{}' of {}", revision, title_of(repository));
  const std::string url = api_url(repository, "/revision/" + url_encoded(revision, false));
  return parse_revision_answer("the response about " + what, get(url, what, repository).body);
}

std::vector<RepositoryFile> HubApi::list_files(const Repository& repository, const std::string& commit) {
  const std::string what = fmt::format("the files of {}", title_of(repository));
  std::vector<RepositoryFile> files;
  std::string url = api_url(repository, fmt::format("/tree/{}?recursive=true&expand=false", commit));
  std::set<std::string> seen;
  while (!url.empty()) {
    if (!seen.insert(url).second || seen.size() > kMaxPages || files.size() > kMaxFiles) {
      throw Error(ErrorKind::kBadInput, fmt::format("{} exceed {}, or the listing does not end", what, kMaxFiles));
    }
    const HttpResponse response = get(url, what, repository);
    std::vector<RepositoryFile> more = parse_tree_page("the list of " + what, response.body);
    files.insert(files.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    url = next_page(response);
  }
  return files;
}

HttpRequest HubApi::file_request(const Repository& repository, const std::string& commit,
                                 const std::string& path) const {
  const char* folder = repository.type == RepositoryType::kDataset ? "datasets/" : "";
  return request_to(fmt::format("{}/{}{}/resolve/{}/{}", options_.endpoint, folder, repository.name, commit,
                                url_encoded(path, true)));
}

void HubApi::create_repository(const Repository& repository, bool is_private) {
  const std::size_t slash = repository.name.find('/');
  Json body = {{"name", repository.name.substr(slash == std::string::npos ? 0 : slash + 1)},
               {"type", name_of(repository.type)},
               {"visibility", is_private ? "private" : "public"}};
  if (slash != std::string::npos) body["organization"] = repository.name.substr(0, slash);
  const HttpResponse response = post(options_.endpoint + "/api/repos/create", body);
  constexpr int kThereAlready = 409;
  if (response.status != kThereAlready) check(response, "a new " + title_of(repository), repository);
}

std::vector<PreuploadFile> HubApi::preupload(const Repository& repository, const std::string& revision,
                                             const Json& files) {
  const std::string url = api_url(repository, "/preupload/" + url_encoded(revision, false));
  const std::string what = fmt::format("permission to add files to {}", title_of(repository));
  const HttpResponse response = post(url, {{"files", files}});
  check(response, what, repository);
  return parse_preupload("the response about " + what, response.body);
}

std::vector<LfsObject> HubApi::lfs_batch(const Repository& repository, const std::string& revision,
                                         const Json& objects) {
  const char* folder = repository.type == RepositoryType::kDataset ? "datasets/" : "";
  const std::string url = fmt::format("{}/{}{}.git/info/lfs/objects/batch", options_.endpoint, folder, repository.name);
  const std::string what = fmt::format("the storage of large files of {}", title_of(repository));
  const HttpResponse response = post(url,
                                     {{"operation", "upload"},
                                      {"transfers", {"basic", "multipart"}},
                                      {"objects", objects},
                                      {"hash_algo", "sha256"},
                                      {"ref", {{"name", revision}}}},
                                     kLfsContent);
  check(response, what, repository);
  return parse_lfs_batch("the response about " + what, response.body);
}

CommitAnswer HubApi::commit(const Repository& repository, const std::string& revision, std::string lines) {
  HttpRequest request = request_to(api_url(repository, "/commit/" + url_encoded(revision, false)));
  request.method = "POST";
  request.body = std::move(lines);
  request.headers = {{"Content-Type", "application/x-ndjson"}};
  request.is_repeatable = false;
  const HttpResponse response = http_.send(request);
  const std::string what = fmt::format("a commit to {}", title_of(repository));
  check(response, what, repository);
  return parse_commit_answer("the response about " + what, response.body);
}

}  // namespace transformeter
