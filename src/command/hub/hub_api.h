// The hub's requests: URLs and bodies out, typed answers back.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "hub/http_client.h"
#include "hub/hub_answers.h"
#include "hub/hub_options.h"
#include "hub/repository.h"

namespace transformeter {

/// Every function throws what HttpClient throws and, for an answer that is no success, hub_refusal.
class HubApi {
 public:
  HubApi(HttpClient& http, HubOptions options) : http_(http), options_(std::move(options)) {}

  /// The commit that a branch, tag or commit stands for.
  std::string commit_of(const Repository& repository, const std::string& revision);
  /// All files at a commit, whatever folder they are in.
  std::vector<RepositoryFile> list_files(const Repository& repository, const std::string& commit);
  HttpRequest file_request(const Repository& repository, const std::string& commit, const std::string& path) const;

  /// Makes an empty repository; one that is there already is left as it is.
  void create_repository(const Repository& repository, bool is_private);
  /// Asks whether files go to large file storage. `files`: [{path, size, sample}].
  std::vector<PreuploadFile> preupload(const Repository& repository, const std::string& revision, const Json& files);
  /// Asks where to send files. `objects`: [{oid, size}].
  std::vector<LfsObject> lfs_batch(const Repository& repository, const std::string& revision, const Json& objects);
  /// `lines`: the commit's header and operations, one JSON object a line.
  CommitAnswer commit(const Repository& repository, const std::string& revision, std::string lines);
  /// POSTs JSON to a URL that the hub gave, with the token where it is the hub's own.
  HttpResponse post(const std::string& url, const Json& body, const std::string& content_type = "application/json");

  /// Throws hub_refusal unless `response` is a success.
  void check(const HttpResponse& response, const std::string& request, const Repository& repository) const;
  HttpClient& http() { return http_; }
  const HubOptions& options() const { return options_; }

 private:
  HttpRequest request_to(std::string url) const;
  std::string api_url(const Repository& repository, std::string_view rest) const;
  HttpResponse get(const std::string& url, const std::string& what, const Repository& repository);

  HttpClient& http_;
  HubOptions options_;
};

}  // namespace transformeter
