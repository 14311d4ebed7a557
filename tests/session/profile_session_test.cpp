// Profiling in the worker, on tiny models: modules as the checkpoint names them, times that add up, all streams.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "engine/backends.h"
#include "fake_worker/session_client.h"
#include "machine/perf_events.h"
#include "measure/counted_tree.h"
#include "session/session.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

const std::filesystem::path kTinyModels = source_directory() / "tests/data/models";

Json profiled_settings(const Json& changes = Json::object()) {
  Json json = {{"model", (kTinyModels / "tiny-distilbert-classifier").string()},
               {"task", "sequence_classification"},
               {"data", "bundled"},
               {"batch_size", 4},
               {"sequence_length", 16},
               {"limit", "all"},
               {"seed", 0},
               {"precision", "fp32"},
               {"attention", "sdpa"},
               {"attention_mask", "on"},
               {"device", "cpu"}};
  json.update(changes);
  return json;
}

const Json kFast = {{"engine", "fast"},  {"attention", "tiled"},    {"weights", "prepacked"},
                    {"fusion", "fused"}, {"head_tokens", "needed"}, {"batching", "packed"}};

// A session of its own for each case.
class ProfileSession {
 public:
  ProfileSession() : ProfileSession(make_channel_pair()) {}
  ~ProfileSession() {
    try {
      client_.send(bare_message(verb::kTeardown));
    } catch (const Error&) {
    }
    server_.join();
  }

  Message ask(const Message& request) {
    client_.send(request);
    Message message;
    do {
      EXPECT_EQ(client_.receive(message), Channel::Outcome::kMessage);
    } while (message.type() == verb::kProfiling);
    return message;
  }
  void prepare(const Json& requested) {
    PrepareRequest request;
    request.settings = requested;
    const Message reply = ask(to_message(request));
    ASSERT_EQ(reply.type(), verb::kPrepared) << reply.header.dump();
  }
  Message profile(const ProfileOptions& options) {
    EXPECT_EQ(ask(to_message(WarmRequest{})).type(), verb::kWarmed);
    return ask(to_message(ProfileRequest{options}));
  }
  Profile profile_of(const Json& requested, ProfileOptions options = {}) {
    prepare(requested);
    if (!options.passes) options.passes = 3;
    const Message reply = profile(options);
    EXPECT_EQ(reply.type(), verb::kProfiled) << reply.header.dump().substr(0, 400);
    return from_message<Profiled>(reply).profile;
  }

 private:
  explicit ProfileSession(ChannelPair pair)
      : client_(std::move(pair.here)), server_([this, there = pair.there] {
          Channel channel(there);
          serve_session(channel, context_, parts_);
        }) {
    Message hello;
    EXPECT_EQ(client_.receive(hello), Channel::Outcome::kMessage);
  }

  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
  SessionClient client_;
  std::thread server_;
};

std::set<std::string> names(const Profile& profile, ProfileNodeKind kind) {
  std::set<std::string> found;
  for (const ProfileNode& node : profile.nodes) {
    if (node.kind == kind) found.insert(node.name);
  }
  return found;
}

double self_sum(const Profile& profile) {
  return std::accumulate(profile.nodes.begin(), profile.nodes.end(), 0.0,
                         [](double sum, const ProfileNode& node) { return sum + node.self_s; });
}

// Of operators, but for what a library does beside them.
double operator_sum(const Profile& profile) {
  double sum = 0;
  for (const ProfileNode& node : profile.nodes) {
    if (node.kind == ProfileNodeKind::kOperator && node.name != kBesideNodes) sum += node.self_s;
  }
  return sum;
}

// With a value or a reason each: which events there are is the machine's.
void expect_counters(const Profile& profile) {
  ASSERT_TRUE(profile.counters);
  EXPECT_EQ(profile.counters->size(), perf_events().size());
  for (const EventCount& event : *profile.counters) {
    EXPECT_NE(event.value.has_value(), !event.reason.empty()) << event.name;
  }
  const EventCount* clock = find_counted(*profile.counters, event_name::kTaskClock);
  EXPECT_TRUE(clock == nullptr || *clock->value > 0);
}

void expect_sound(const Profile& profile) {
  expect_counters(profile);
  EXPECT_EQ(profile.passes, 3);
  EXPECT_EQ(profile.profiled_s.size(), 3U);
  EXPECT_EQ(profile.unprofiled_s.size(), 6U);
  EXPECT_EQ(profile.nodes.front().calls, 3);
  const double whole_s = profile.nodes.front().total_s;
  EXPECT_NEAR(self_sum(profile), whole_s, 1e-6 * whole_s);
  const double measured_s = std::accumulate(profile.profiled_s.begin(), profile.profiled_s.end(), 0.0);
  EXPECT_LE(whole_s, measured_s * 1.001);
}

TEST(ProfileSession, NamesModulesAsTheCheckpointDoes) {
  ProfileSession session;
  const Profile profile = session.profile_of(profiled_settings());
  expect_sound(profile);
  const std::set<std::string> modules = names(profile, ProfileNodeKind::kModule);
  for (const char* name : {"distilbert.embeddings", "distilbert.embeddings.word_embeddings",
                           "distilbert.embeddings.LayerNorm", "distilbert.transformer.layer.0",
                           "distilbert.transformer.layer.0.attention", "distilbert.transformer.layer.0.attention.q_lin",
                           "distilbert.transformer.layer.0.ffn", "distilbert.transformer.layer.0.ffn.lin1",
                           "distilbert.transformer.layer.0.sa_layer_norm", "pre_classifier", "classifier"}) {
    EXPECT_TRUE(modules.contains(name)) << name;
  }
  EXPECT_TRUE(names(profile, ProfileNodeKind::kOperator).contains("aten::addmm"));
  const auto product = std::find_if(profile.nodes.begin(), profile.nodes.end(),
                                    [](const ProfileNode& node) { return node.name == "aten::addmm"; });
  EXPECT_GT(product->flops, 0);
}

TEST(ProfileSession, ShowsFusedKernelsUnderNamesThatAreKnown) {
  ProfileSession session;
  Json fast = profiled_settings(kFast);
  fast["precision"] = "int8";
  fast["weights"] = "plain";
  const Profile profile = session.profile_of(fast);
  expect_sound(profile);
  const std::set<std::string> operators = names(profile, ProfileNodeKind::kOperator);
  EXPECT_TRUE(operators.contains("fused attention (tiled)"));
  const std::set<std::string> modules = names(profile, ProfileNodeKind::kModule);
  EXPECT_TRUE(modules.contains("distilbert.transformer.layer.0.attention.{q_lin,k_lin,v_lin}"));
}

TEST(ProfileSession, SeesWhatStreamsDo) {
  ProfileSession session;
  Json fast = profiled_settings(kFast);
  fast.update({{"threads", 2}, {"streams", 2}, {"batch_size", 8}});
  const Profile profile = session.profile_of(fast);
  expect_sound(profile);
  EXPECT_EQ(profile.streams, 2);
  const auto streams = std::find_if(profile.nodes.begin(), profile.nodes.end(),
                                    [](const ProfileNode& node) { return node.kind == ProfileNodeKind::kStreams; });
  ASSERT_NE(streams, profile.nodes.end());
  EXPECT_GT(streams->total_s, streams->self_s);
  EXPECT_TRUE(names(profile, ProfileNodeKind::kModule).contains("distilbert.transformer.layer.0.ffn.lin1"));
}

TEST(ProfileSession, RecordsMemoryAndWorkOnlyWhereAsked) {
  ProfileSession session;
  const auto sums = [](const Profile& profile) {
    std::pair<double, double> all{0, 0};
    for (const ProfileNode& node : profile.nodes) {
      all.first += node.flops;
      all.second += node.allocated_bytes;
    }
    return all;
  };
  Json fast = profiled_settings(kFast);
  fast.update({{"threads", 2}, {"streams", 2}, {"batch_size", 8}});
  const auto [flops, allocated] =
      sums(session.profile_of(fast, {.work = false, .memory = true, .passes = 3, .trace_file = ""}));
  EXPECT_EQ(flops, 0);
  EXPECT_GT(allocated, 0);
}

// Of engines that are other libraries, which count the nodes of their graphs.
class LibraryProfile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why_not = why_no_backend(GetParam())) GTEST_SKIP() << *why_not;
  }
  /// Of batches in which the nodes of each layer take long beside the microseconds that OpenVINO cuts its means to;
  /// those of the head, which have one row for each text, may not.
  static Json settings(const Json& changes = Json::object()) {
    Json all = profiled_settings({{"engine", GetParam()}, {"threads", 1}, {"batch_size", 64}, {"sequence_length", 32}});
    all.update(changes);
    return all;
  }
};

TEST_P(LibraryProfile, HasTheTimesOfModulesAndOperators) {
  ProfileSession session;
  const Profile profile = session.profile_of(settings());
  expect_sound(profile);
  EXPECT_NE(profile.counted_by, "");
  const double measured_s = std::accumulate(profile.profiled_s.begin(), profile.profiled_s.end(), 0.0);
  EXPECT_NEAR(self_sum(profile), measured_s, 0.01 * measured_s) << "what lies outside of nodes is shown too";
  EXPECT_GT(operator_sum(profile), 0.1 * measured_s) << "by far most of it is of nodes";
  const std::set<std::string> modules = names(profile, ProfileNodeKind::kModule);
  for (const char* name :
       {"distilbert.embeddings.word_embeddings", "distilbert.transformer.layer.0",
        "distilbert.transformer.layer.0.attention", "distilbert.transformer.layer.1.ffn.lin1",
        "distilbert.transformer.layer.1.ffn.lin2", "distilbert.transformer.layer.1.output_layer_norm"}) {
    EXPECT_TRUE(modules.contains(name)) << name;
  }
  std::set<ProfilePhase> phases;
  for (const ProfileNode& node : profile.nodes) {
    if (node.phase && node.self_s > 0) phases.insert(*node.phase);
  }
  EXPECT_TRUE(phases.contains(ProfilePhase::kFeedForward));
  EXPECT_TRUE(phases.contains(ProfilePhase::kAttention));
}

TEST_P(LibraryProfile, CountsTheProductsThatLibTorchCounts) {
  const auto flops_of = [](const Profile& profile, const std::string& module) {
    double flops = 0;
    for (const ProfileNode& node : profile.nodes) {
      if (node.kind == ProfileNodeKind::kOperator && profile.nodes[node.parent].name == module) flops += node.flops;
    }
    return flops;
  };
  ProfileSession library;
  const Profile counted = library.profile_of(settings());
  ProfileSession torch;
  const Profile recorded = torch.profile_of(settings({{"engine", "pytorch"}}));
  const std::string module = "distilbert.transformer.layer.0.ffn.lin1";
  double expected = 0;
  for (std::size_t i = 0; i < recorded.nodes.size(); ++i) {
    for (std::size_t at = i; at != 0; at = recorded.nodes[at].parent) {
      if (recorded.nodes[at].kind != ProfileNodeKind::kModule || recorded.nodes[at].name != module) continue;
      expected += recorded.nodes[i].flops;
      break;
    }
  }
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(flops_of(counted, module), expected, 1e-6 * expected);
  ProfileSession without;
  const Profile bare = without.profile_of(settings(), {.work = false, .memory = false, .passes = 3, .trace_file = ""});
  for (const ProfileNode& node : bare.nodes) EXPECT_EQ(node.flops + node.bytes, 0) << node.name;
}

TEST_P(LibraryProfile, GoesThroughBatchesOfSeveralLengths) {
  ProfileSession session;
  const Profile profile =
      session.profile_of(settings({{"sequence_length", "natural"}, {"limit", 12}, {"batch_size", 4}}));
  expect_sound(profile);
  EXPECT_EQ(profile.batches, 3);
  double flops = 0;
  for (const ProfileNode& node : profile.nodes) flops += node.flops;
  EXPECT_GT(flops, 0) << "each length was warmed up";
}

TEST_P(LibraryProfile, WritesATraceOfTheMeanPass) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trace.json";
  ProfileSession session;
  session.profile_of(settings(), {.work = true, .memory = false, .passes = 3, .trace_file = file.string()});
  const Json trace = Json::parse(read_file(file));
  const Json& events = trace.at("traceEvents");
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Json& event) {
    return event.value("name", "") == "distilbert.transformer.layer.0.ffn.lin2";
  }));
}

TEST_P(LibraryProfile, RefusesMemoryWithTheReason) {
  ProfileSession session;
  session.prepare(settings());
  const Message reply = session.profile({.work = true, .memory = true, .passes = 3, .trace_file = ""});
  ASSERT_EQ(reply.type(), verb::kFailed);
  const auto failed = from_message<Failed>(reply);
  EXPECT_EQ(failed.status, Status::kUnsupported);
  EXPECT_NE(failed.reason.find("no memory by operator"), std::string::npos) << failed.reason;
}

INSTANTIATE_TEST_SUITE_P(Engines, LibraryProfile, testing::Values("openvino", "onnxruntime"),
                         [](const auto& one) { return one.param; });

TEST(ProfileSession, WritesATraceThatParses) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trace.json";
  ProfileSession session;
  session.profile_of(profiled_settings(), {.work = true, .memory = false, .passes = 3, .trace_file = file.string()});
  const Json trace = Json::parse(read_file(file));
  const Json& events = trace.at("traceEvents");
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Json& event) {
    return event.value("name", "") == "distilbert.transformer.layer.0.attention.q_lin";
  }));
}

TEST(ProfileSession, FailsWhereTheTraceCannotBeWritten) {
  ProfileSession session;
  session.prepare(profiled_settings());
  const Message reply =
      session.profile({.work = true, .memory = false, .passes = 1, .trace_file = "/proc/no/such/folder/trace.json"});
  EXPECT_EQ(reply.type(), verb::kFailed);
}

const ProfileNode* found(const Profile& profile, const std::function<bool(const ProfileNode&)>& is_wanted) {
  const auto place = std::find_if(profile.nodes.begin(), profile.nodes.end(), is_wanted);
  return place == profile.nodes.end() ? nullptr : &*place;
}

// The names around a node, the stage first.
std::string path_of(const Profile& profile, const ProfileNode& node) {
  std::string path;
  for (const ProfileNode* one = &node; one->kind != ProfileNodeKind::kPass; one = &profile.nodes[one->parent]) {
    path = one->name + (path.empty() ? "" : " > ") + path;
  }
  return path;
}

class ProfiledSteps : public testing::TestWithParam<Json> {};

TEST_P(ProfiledSteps, BackwardPassesBelongToTheModulesThatWereRunForward) {
  ProfileSession session;
  Json settings = profiled_settings({{"scenario", "train"},
                                     {"limit", 64},
                                     {"optimizer", "adamw"},
                                     {"learning_rate", 1e-4},
                                     {"weight_decay", 0.0},
                                     {"max_gradient_norm", 1.0},
                                     {"label_smoothing", 0.0},
                                     {"dropout", "config"},
                                     {"gradient_accumulation", 1},
                                     {"gradient_checkpointing", "off"},
                                     {"deterministic", "off"},
                                     {"loader_threads", 1}});
  settings.update(GetParam());
  const Profile profile = session.profile_of(settings);
  expect_sound(profile);
  EXPECT_EQ(profile.nodes.front().name, "training step");
  EXPECT_EQ(names(profile, ProfileNodeKind::kStage),
            (std::set<std::string>{"data", "forward", "backward", "optimizer"}));
  for (const char* module : {"distilbert.transformer.layer.0.ffn.lin1", "distilbert.transformer.layer.1.ffn.lin2",
                             "distilbert.embeddings.word_embeddings", "pre_classifier", "classifier"}) {
    for (const std::string stage : {"forward", "backward"}) {
      EXPECT_NE(found(profile,
                      [&](const ProfileNode& node) {
                        return node.kind == ProfileNodeKind::kModule && node.name == module && node.total_s > 0 &&
                               path_of(profile, node).starts_with(stage);
                      }),
                nullptr)
          << stage << " of " << module;
    }
  }
  // Two products for each forward one, at the same place; with what checkpointing computes again, three.
  const auto flops = [&](const std::string& stage) {
    double sum = 0;
    for (const ProfileNode& node : profile.nodes) {
      const std::string path = path_of(profile, node);
      if (path.starts_with(stage) && path.find("layer.1.ffn.lin1") != std::string::npos) sum += node.flops;
    }
    return sum;
  };
  const double products = settings.at("gradient_checkpointing") == "on" ? 3 : 2;
  EXPECT_NEAR(flops("backward") / flops("forward"), products, 0.3);
  double outside = 0;
  for (const ProfileNode& node : profile.nodes) {
    const std::string path = path_of(profile, node);
    const bool is_in_module =
        path.find("distilbert.") != std::string::npos || path.find("classifier") != std::string::npos;
    if (path.starts_with("backward") && !is_in_module) outside += node.flops;
  }
  EXPECT_EQ(outside, 0) << "of backward passes without a module";
  EXPECT_NE(found(profile,
                  [&](const ProfileNode& node) {
                    return node.phase == ProfilePhase::kLoss && path_of(profile, node).starts_with("backward");
                  }),
            nullptr);
}

INSTANTIATE_TEST_SUITE_P(Engines, ProfiledSteps,
                         testing::Values(Json{{"engine", "pytorch"}}, Json{{"engine", "fast"}},
                                         Json{{"engine", "fast"}, {"precision", "bf16_autocast"}},
                                         Json{{"engine", "pytorch"}, {"gradient_checkpointing", "on"}},
                                         Json{{"engine", "pytorch"}, {"gradient_accumulation", 2}}));

TEST(ProfileSession, TellsPrefillFromDecode) {
  ProfileSession session;
  const Profile profile = session.profile_of({{"model", (kTinyModels / "tiny-gpt2").string()},
                                              {"task", "causal_lm"},
                                              {"scenario", "generate"},
                                              {"data", "synthetic"},
                                              {"prompt_length", 8},
                                              {"new_tokens", 4},
                                              {"limit", "all"},
                                              {"seed", 0},
                                              {"precision", "fp32"},
                                              {"attention", "sdpa"},
                                              {"device", "cpu"}});
  expect_sound(profile);
  EXPECT_EQ(profile.nodes.front().name, "request");
  EXPECT_EQ(names(profile, ProfileNodeKind::kStage), (std::set<std::string>{"prefill", "decode"}));
  const ProfileNode* decode = found(profile, [](const ProfileNode& node) { return node.name == "decode"; });
  EXPECT_EQ(decode->calls, 3 * 3) << "three steps follow the first token";
  EXPECT_NE(found(profile,
                  [&](const ProfileNode& node) {
                    return node.kind == ProfileNodeKind::kModule &&
                           path_of(profile, node).starts_with("decode > transformer.h.0");
                  }),
            nullptr);
}

TEST(ProfileSession, RefusesAllTextsAtOnce) {
  ProfileSession session;
  session.prepare(profiled_settings({{"scenario", "offline"}, {"sequence_length", "natural"}}));
  const Message reply = session.profile({});
  ASSERT_EQ(reply.type(), verb::kFailed);
  EXPECT_EQ(from_message<Failed>(reply).status, Status::kUnsupported);
}

TEST(ProfileSession, WantsAPrepareFirst) {
  ProfileSession session;
  EXPECT_EQ(session.ask(to_message(ProfileRequest{})).type(), verb::kFailed);
}

}  // namespace
}  // namespace transformeter
