// The program itself: started with a descriptor, told by its environment, and dying as asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/files.h"
#include "base/subprocess.h"
#include "fake_worker/behaviour.h"
#include "fake_worker/session_client.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

const std::filesystem::path kProgram = binary_directory() / "bin/transformeter-fake-worker";

struct Started {
  SessionClient client;
  std::unique_ptr<Subprocess> process;
};

Started start(const Json& behaviour) {
  ChannelPair pair = make_channel_pair();
  SpawnOptions options;
  options.arguments = {"--connect", "fd:3"};
  options.environment = {{kFakeWorkerVariable, behaviour.dump()}};
  options.inherited_descriptor = pair.there;
  auto process = std::make_unique<Subprocess>(kProgram, options);
  ::close(pair.there);
  return {SessionClient(std::move(pair.here)), std::move(process)};
}

// The way the program ends when `fault` strikes at describe.
ExitStatus end_of(Json fault) {
  fault["at"] = "describe";
  Started worker = start({{"faults", Json::array({fault})}});
  worker.client.expect(verb::kHello);
  worker.client.send(bare_message(verb::kDescribe));
  return worker.process->wait();
}

TEST(FakeWorker, ServesASessionOverItsDescriptor) {
  Started worker = start({{"latency", {{"mean_s", 0.5}}}});
  const auto hello = from_message<Hello>(worker.client.expect(verb::kHello));
  EXPECT_EQ(hello.pid, worker.process->pid());
  worker.client.ask(bare_message(verb::kDescribe), verb::kDescribed);
  worker.client.prepare({{"batch_size", 1}, {"sequence_length", 128}});
  worker.client.warm();
  MeasureRequest request;
  request.exactly = 10;
  EXPECT_THAT(worker.client.measure(request).latency.value, testing::Each(0.5));
  worker.client.evaluate();
  worker.client.ask(bare_message(verb::kTeardown), verb::kTornDown);
  EXPECT_EQ(worker.process->wait().code, 0);
}

TEST(FakeWorker, DiesAsAsked) {
  EXPECT_EQ(end_of({{"kind", "crash"}, {"signal", SIGSEGV}}).signal, SIGSEGV);
  EXPECT_EQ(end_of({{"kind", "crash"}, {"signal", SIGKILL}}).signal, SIGKILL);
  EXPECT_EQ(end_of({{"kind", "exit"}, {"code", 7}}).code, 7);
  EXPECT_EQ(end_of({{"kind", "garbage"}}).code, 0);
}

TEST(FakeWorker, HangsUntilItIsKilled) {
  for (const char* kind : {"hang", "eat_memory"}) {
    Started worker = start({{"faults", {{{"kind", kind}, {"at", "describe"}, {"bytes", 64 << 20}}}}});
    worker.client.expect(verb::kHello);
    worker.client.send(bare_message(verb::kDescribe));
    Message message;
    EXPECT_EQ(worker.client.receive(message, 100), Channel::Outcome::kTimeout) << kind;
    EXPECT_EQ(worker.process->poll(), std::nullopt);
    worker.process->kill(SIGKILL);
    EXPECT_EQ(worker.process->wait().signal, SIGKILL);
  }
}

TEST(FakeWorker, StrikesOnceWhenToldSo) {
  const TemporaryFolder folder;
  const std::filesystem::path marker = folder.path() / "struck";
  const Json fault = {{"kind", "exit"}, {"code", 5}, {"once", marker.string()}, {"at", "describe"}};
  EXPECT_EQ(end_of(fault).code, 5);
  Started again = start({{"faults", Json::array({fault})}});
  again.client.expect(verb::kHello);
  again.client.ask(bare_message(verb::kDescribe), verb::kDescribed);
}

TEST(FakeWorker, ExitsWithThreeForAMisspeltBehaviour) {
  Started worker = start({{"latancy", 1}});
  EXPECT_EQ(worker.process->wait().code, 3);
}

}  // namespace
}  // namespace transformeter
