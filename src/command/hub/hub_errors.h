// Refusals of the hub in words that say what to do.
#pragma once

#include "base/error.h"
#include "hub/http.h"
#include "hub/hub_options.h"
#include "hub/repository.h"

namespace transformeter {

/// For an answer that is no success: no repository, revision or file of that name, a gated repository, a token that is
/// missing, wrong or not enough, a limit, a server that is unwell, no answer at all. `request` is what was asked,
/// "the files of org/name".
Error hub_refusal(const HttpResponse& response, const std::string& request, const Repository& repository,
                  const HubOptions& options);

}  // namespace transformeter
