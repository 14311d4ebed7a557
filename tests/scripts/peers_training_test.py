"""The training part of scripts/peers without any trainer: rows, steps and their turns, losses compared, what is asked."""
import json
import math
import os
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

try:
    import numpy  # noqa: F401
    import scipy  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: comparing losses needs numpy and scipy ({error}); run scripts/setup --dev")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from peers import (checkpoints, correctness, measure, noise, our_training, ours, recipe, references, report, session,
                   steps, training_inputs, workloads)
from peers.arms import Arm, our_arms, peer_arms
from peers.engines import base, hf_trainer, torch_loop
from peers.engines.base import NotThere

BY_NAME = {workload.name: workload for workload in workloads.WORKLOADS}


class FakeTokenizer:
    """Words and punctuation are tokens, numbered by their length; [CLS] a [SEP] b [SEP] as BERT has it."""

    def encode(self, text, pair=None):
        parts = [(None, None)]
        for number, one in enumerate([text] if pair is None else [text, pair]):
            begin = 0
            for word in one.split(" "):
                if word:
                    parts.append((number, (begin, begin + len(word))))
                begin += len(word) + 1
            parts.append((None, None))
        separators = [index for index, part in enumerate(parts) if part[0] is None]
        types_ = [int(pair is not None and index > separators[1]) for index in range(len(parts))]
        return types.SimpleNamespace(ids=[1 if part[0] is None else part[1][1] - part[1][0] + 10 for part in parts],
                                     type_ids=types_, sequence_ids=[part[0] for part in parts],
                                     offsets=[part[1] or (0, 0) for part in parts])


class Rows(unittest.TestCase):
    def test_an_answer_is_told_by_its_first_and_last_token(self):
        row = training_inputs.answer_row(FakeTokenizer(), "who is it", "it was old Tom Bell then",
                                         {"text": "Tom Bell", "answer_start": 11}, 20)
        # [CLS] who is it [SEP] it was old Tom Bell then [SEP]: the answer's tokens are 8 and 9.
        self.assertEqual((row["start_positions"], row["end_positions"]), (8, 9))
        self.assertEqual(row["token_type_ids"], [0] * 5 + [1] * 7)
        self.assertEqual(len(row["input_ids"]), 12)

    def test_an_answer_within_a_token_and_a_long_row_are_left_out(self):
        ask = lambda answer, length: training_inputs.answer_row(FakeTokenizer(), "who", "old Tom Bell", answer, length)
        self.assertIsNone(ask({"text": "om", "answer_start": 5}, 20))
        self.assertIsNone(ask({"text": "Tom", "answer_start": 4}, 6))
        self.assertIsNotNone(ask({"text": "Tom", "answer_start": 4}, 7))

    def test_rows_are_padded_to_a_length_or_to_their_longest(self):
        rows = [{"input_ids": [7, 8, 9], "labels": 1}, {"input_ids": [5], "labels": 0}]
        batch = training_inputs.batch_of(rows, None)
        self.assertEqual(batch["input_ids"].tolist(), [[7, 8, 9], [5, 0, 0]])
        self.assertEqual(batch["attention_mask"].tolist(), [[1, 1, 1], [1, 0, 0]])
        self.assertEqual(batch["labels"].tolist(), [1, 0])
        self.assertEqual(training_inputs.batch_of(rows, 5)["attention_mask"].sum(axis=1).tolist(), [3, 1])
        self.assertEqual(training_inputs.batch_of(rows, 5)["input_ids"].shape, (2, 5))
        with self.assertRaisesRegex(ValueError, "a row of 3 tokens does not fit into 2"):
            training_inputs.batch_of(rows, 2)

    def test_a_pass_is_one_step_where_all_batches_have_one_shape(self):
        rows = [{"input_ids": [1] * (n + 1), "labels": 0} for n in range(10)]
        self.assertEqual(training_inputs.steps_in_a_pass(rows, 4, 128), 1)
        self.assertEqual(training_inputs.steps_in_a_pass(rows, 4, None), 3)
        self.assertEqual([len(batch["labels"]) for batch in training_inputs.batches_of(rows, 4, None)], [4, 4, 2])


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "sst2").mkdir()
        (self.folder / "squad").mkdir()
        lines = [f"good {'x ' * (n % 9)}\t{n % 2}" for n in range(700)]
        (self.folder / "sst2/train.tsv").write_text("\n".join(["sentence\tlabel", *lines]) + "\n")
        asked = [{"id": str(n), "question": "who " * (1 + n % 3),
                  "answers": [{"text": "Tom", "answer_start": 4}, {"text": "old", "answer_start": 0}]}
                 for n in range(40)]
        document = {"data": [{"title": "t", "paragraphs": [{"context": "old Tom Bell", "qas": asked}]}]}
        (self.folder / "squad/dev-v1.1.json").write_text(json.dumps(document))

    def make(self, name):
        with mock.patch.object(training_inputs, "tokenizer_of", return_value=FakeTokenizer()):
            training_inputs.make(BY_NAME[name], self.folder, self.folder / name)
        return training_inputs.read(self.folder / name)

    def test_our_worker_reads_the_sentences_that_the_peers_have(self):
        rows = self.make("train-sst2-natural")
        lines = (self.folder / "train-sst2-natural/data.tsv").read_text().splitlines()[1:]
        tokens = FakeTokenizer()
        self.assertEqual(len(lines), 32 * 16)
        self.assertEqual([{"input_ids": tokens.encode(text).ids, "labels": int(label)}
                          for text, label in (line.split("\t") for line in lines)], rows)
        self.assertEqual((self.folder / "train-sst2-natural/check.tsv").read_text().splitlines()[1:], lines[:16])

    def test_our_worker_reads_the_first_answers_that_the_peers_have(self):
        rows = self.make("train-qa")
        files = [json.loads((self.folder / f"train-qa/{name}.json").read_text()) for name in ("data", "check")]
        asked = [one for article in files[0]["data"] for one in article["paragraphs"][0]["qas"]]
        self.assertEqual((len(rows), len(asked)), (32, 32))
        self.assertEqual([one["answers"] for one in asked], [[{"text": "Tom", "answer_start": 4}]] * 32)
        self.assertEqual([one["question"].count("who") + 3 for one in asked],
                         [row["start_positions"] for row in rows])  # [CLS] question [SEP] old Tom
        self.assertEqual(files[1]["data"], files[0]["data"][:4])


class WithoutDropout(unittest.TestCase):
    def save(self, config):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, target = pathlib.Path(folder.name) / "bert-qa", pathlib.Path(folder.name) / "bert-qa-without-dropout"
        source.mkdir()
        (source / "model.safetensors").write_bytes(b"weights")
        (source / "config.json").write_text(json.dumps(config))
        checkpoints.save_without_dropout("bert-qa", target, source)
        return source, target

    def test_the_weights_are_the_same_and_no_dropout_is_left(self):
        config = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "hidden_size": 768}
        source, target = self.save(config)
        self.assertEqual((target / "model.safetensors").read_bytes(), b"weights")
        self.assertEqual(json.loads((target / "config.json").read_text()),
                         {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0, "hidden_size": 768})
        self.assertEqual(json.loads((source / "config.json").read_text()), config)

    def test_a_configuration_that_names_no_dropout_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "names no attention_probs_dropout_prob"):
            self.save({"hidden_dropout_prob": 0.1})


class Turns(unittest.TestCase):
    """A clock that counts what the test lets pass; a request may come late."""

    def setUp(self):
        self.now = 100.0
        self.answers = []
        for name in ("perf_counter", "time"):
            patch = mock.patch.object(steps.time, name, side_effect=lambda: self.now)
            patch.start()
            self.addCleanup(patch.stop)

    def requests(self, counts, late=0.0):
        for count in counts:
            self.now += late
            yield {"do": "pass", "count": count}

    def timed(self, in_a_pass, counts, late=0.0):
        return steps.TimedSteps(in_a_pass, self.requests(counts, late), self.answers.append, {"versions": {}}, 90.0)

    def run_steps(self, timed, seconds):
        for one in seconds:
            self.now += one
            if not timed.done(0.5):
                return False
        return True

    def test_warm_up_is_told_and_not_counted(self):
        self.assertTrue(self.run_steps(self.timed(1, [2]), [5, 4, 1, 2]) is False)
        self.assertEqual(self.answers, [{"first_result_s": 15.0}, {"versions": {}}, {"step": [1.0, 2.0]}])

    def test_what_passes_while_others_are_at_work_belongs_to_no_step(self):
        self.run_steps(self.timed(1, [1, 1], late=1000), [5, 4, 1, 2])
        self.assertEqual(self.answers[2:], [{"step": [1.0]}, {"step": [2.0]}])

    def test_a_pass_of_several_steps_has_their_mean(self):
        self.run_steps(self.timed(3, [2]), [9, 9, 9, 1, 2, 3, 2, 4, 6])
        self.assertEqual(self.answers[1:], [{"versions": {}}, {"step": [2.0, 4.0]}])

    def test_it_goes_on_within_a_block_and_ends_with_the_requests(self):
        timed = self.timed(1, [2])
        self.assertTrue(self.run_steps(timed, [1, 1, 1]))
        self.assertFalse(self.run_steps(timed, [1]))

    def test_first_losses_end_the_training(self):
        first = steps.FirstLosses(2)
        self.assertEqual([first.done(0.5), first.done(0.25)], [True, False])
        self.assertEqual(first.losses, [0.5, 0.25])


class Losses(unittest.TestCase):
    def test_the_worst_step_counts(self):
        check = correctness.compare_losses([0.5, 0.99, 2.0], [0.5, 1.0, 2.002], "fp32")
        self.assertAlmostEqual(check.divergence, 0.01)
        self.assertEqual((check.compared, check.is_wrong), (3, True))
        self.assertFalse(correctness.compare_losses([0.5, 0.99, 2.0], [0.5, 1.0, 2.002], "bf16_autocast").is_wrong)
        self.assertFalse(correctness.compare_losses([1.00009], [1.0], "fp32").is_wrong)

    def test_losses_that_are_no_numbers_or_too_few_are_wrong(self):
        for precision in workloads.TRAINING_PRECISIONS:
            self.assertTrue(correctness.compare_losses([1.0, math.nan, 1.0], [1.0, 1.0, 1.0], precision).is_wrong)
            self.assertTrue(correctness.compare_losses([1.0, 1.0], [1.0, 1.0, 1.0], precision).is_wrong)
        with self.assertRaisesRegex(ValueError, "nothing to compare"):
            correctness.compare_losses([], [], "fp32")

    def test_a_reference_is_made_once_and_arms_are_held_to_it(self):
        with tempfile.TemporaryDirectory() as folder:
            site = mock.Mock()
            site.reference.return_value = pathlib.Path(folder) / "reference.json"
            with mock.patch.object(Arm, "losses", side_effect=[[0.5, 0.4], [0.5, 0.3]]) as asked:
                reference = references.make(site, BY_NAME["train-sst2"])
                check = reference.check(Arm("hf-trainer", "glibc"), None, "fp32")
                references.make(site, BY_NAME["train-sst2"])
            self.assertEqual(asked.call_count, 2)
        self.assertAlmostEqual(check.divergence, 0.25)
        self.assertTrue(check.is_wrong)


class FakeSession:
    """A worker that answers as the test says, and keeps what it was asked."""

    def __init__(self, effective=None, warm=(), measured=(), scenarios=("batch", "train")):
        self.described = {"build": {"version": "1"}, "capabilities": {
            "values": {"scenario": list(scenarios), "precision": ["fp32", "bf16_autocast"], "attention": ["sdpa"],
                       "batching": ["padded", "bucketed", "packed"]}, "engines": {
                "pytorch": {"fusion": "none"},
                "fast": {"fusion": {"train": "fused", "else": "none"}, "batching": "packed", "streams": "threads"}}}}
        self.pid, self.spawned_at_ns = 1, 0
        self.asked = []
        self._effective, self._warm, self._measured = effective, list(warm), session.joined(measured)

    def ask(self, header):
        self.asked.append(header)
        if header["type"] == "prepare":
            read_back = {name: header["settings"][name] for name in ("engine", "fusion", "batching")}
            return {"effective": read_back | {"model": {"new_weights": []}} | (self._effective or {})}
        return {"effective": {"precision": self.asked[0]["settings"]["precision"]}, "series": self._warm}

    def sample(self, count):
        return {name: {column: values[:count] for column, values in columns.items()}
                for name, columns in self._measured.items()}

    def measure(self, count):
        return {name: columns["value"] for name, columns in self.sample(count).items()}


def series(name, values, tokens=None):
    columns = {"value": list(values)} | ({"useful_tokens": tokens} if tokens else {})
    return {"name": name, "columns": list(columns), **columns}


class Ours(unittest.TestCase):
    ARM = our_training.ARMS[0]

    def first_losses(self, session_, precision="fp32"):
        return our_training.first_losses(self.ARM, BY_NAME["train-qa"], precision, {"model": "m", "data": "d"}, 40,
                                         session_)

    def test_the_recipe_is_asked_for(self):
        given = FakeSession(warm=[series("latency", [1.0], [40])])
        self.first_losses(given)
        settings = given.asked[0]["settings"]
        wanted = {"scenario": "train", "task": "question_answering", "batch_size": 4, "sequence_length": 384,
                  "precision": "fp32", "optimizer": "adamw", "learning_rate": 5e-5, "weight_decay": 0,
                  "max_gradient_norm": 1, "gradient_accumulation": 1, "gradient_checkpointing": "off",
                  "dropout": "config", "label_smoothing": 0, "model": "m", "data": "d"}
        self.assertEqual({name: settings[name] for name in wanted}, wanted)
        capabilities = given.described["capabilities"]
        natural = our_training.settings_of(self.ARM, BY_NAME["train-sst2-natural"], "bf16_autocast", capabilities)
        self.assertEqual((natural["sequence_length"], natural["precision"]), ("natural", "bf16_autocast"))

    def test_what_an_engine_chooses_is_asked_for_but_where_the_arm_says_otherwise(self):
        fast = next(arm for arm in our_training.ARMS if arm.name == "ours-train-fast")
        settings = our_training.settings_of(fast, BY_NAME["train-sst2"], "fp32", FakeSession().described["capabilities"])
        self.assertEqual((settings["fusion"], settings["batching"]), ("fused", "padded"))
        self.assertNotIn("streams", settings)

    def test_tokens_left_out_must_be_read_back_as_asked(self):
        arm = next(arm for arm in our_training.ARMS if arm.name == "ours-train-fast-all-tokens")
        for read_back in ("all", "needed"):
            given = FakeSession({"head_tokens": read_back, "fusion": "fused"}, warm=[series("latency", [1.0], [40])])
            losses = lambda: our_training.first_losses(arm, BY_NAME["train-sst2"], "fp32", {}, 40, given)
            if read_back == "all":
                losses()
                self.assertEqual(given.asked[0]["settings"]["head_tokens"], "all")
            else:
                with self.assertRaisesRegex(NotThere, "asked for head_tokens all, the worker reads back needed"):
                    losses()

    def test_losses_of_warm_up_come_first(self):
        given = FakeSession(warm=[series("latency", [1, 1], [40, 40]), series("loss", [0.9, 0.8])],
                            measured=[series("latency", [1], [40]), series("loss", [0.7]),
                                      series("latency", [1], [40]), series("loss", [0.6])])
        self.assertEqual(self.first_losses(given), [0.9, 0.8, 0.7])

    def test_steps_of_other_tokens_are_a_reason(self):
        given = FakeSession(warm=[series("latency", [1, 1], [40, 39]), series("loss", [0.9, 0.8])])
        with self.assertRaisesRegex(NotThere, r"its steps saw \[39, 40\] tokens, where all of them have 40"):
            self.first_losses(given)
        with self.assertRaisesRegex(NotThere, r"its steps saw \[\] tokens"):
            self.first_losses(FakeSession())

    def test_what_the_worker_does_not_do_is_a_reason(self):
        with self.assertRaisesRegex(NotThere, "the worker has no scenario 'train'"):
            self.first_losses(FakeSession(scenarios=["batch"]))
        with self.assertRaisesRegex(NotThere, "asked for batching padded, the worker reads back packed"):
            self.first_losses(FakeSession({"batching": "packed"}))
        with self.assertRaisesRegex(NotThere, "begins classifier.weight anew"):
            self.first_losses(FakeSession({"model": {"new_weights": ["classifier.weight"]}}))

    def test_another_precision_than_asked_for_is_a_reason(self):
        given = FakeSession()
        with mock.patch.object(given, "ask", side_effect=[
                {"effective": {"engine": "pytorch", "fusion": "none", "batching": "padded"}},
                {"effective": {"precision": "fp32"}, "series": []}]):
            with self.assertRaisesRegex(NotThere, "asked for precision bf16_autocast, the worker reads back fp32"):
                self.first_losses(given, "bf16_autocast")

    def training(self, measured, steps_in_a_pass):
        given = FakeSession(warm=[series("latency", [9.0])], measured=measured)
        return our_training.OurTraining(self.ARM, BY_NAME["train-sst2-natural"], "fp32", {}, steps_in_a_pass, given)

    def test_a_pass_has_the_mean_of_its_steps(self):
        process = self.training([series("latency", [1, 3, 2, 6])], 2)
        self.assertEqual(process.passes(2), {"step": [2.0, 4.0]})
        self.assertIsNone(process.first_result_s)

    def test_fewer_steps_than_asked_for_are_a_reason(self):
        with self.assertRaisesRegex(NotThere, "asked for 4 steps, the worker timed 3"):
            self.training([series("latency", [1, 3, 2])], 2).passes(2)

    def test_names_are_unique_among_all_of_ours(self):
        names = [arm.name for arm in ours.OUR_ARMS + our_training.ARMS]
        self.assertEqual(len(set(names)), len(names))


class Who(unittest.TestCase):
    def names(self, arms, workload, precision="fp32"):
        return [arm.name for arm in arms if arm.applies(BY_NAME[workload], precision)]

    def test_trainers_train_and_the_others_do_not(self):
        self.assertEqual(self.names(peer_arms([]), "train-sst2"),
                         ["torch-loop", "torch-loop:glibc_raised_huge", "hf-trainer",
                          "hf-trainer:glibc_raised_huge"])
        self.assertNotIn("hf-trainer", self.names(peer_arms([]), "distilbert-b8"))
        self.assertIn("hf-eager", self.names(peer_arms([]), "distilbert-b8"))

    def test_the_padded_trainer_stands_beside_natural_lengths(self):
        self.assertIn("hf-trainer-padded", self.names(peer_arms([]), "train-sst2-natural"))

    def test_ours_that_need_unequal_lengths_stand_there_alone(self):
        self.assertEqual(self.names(our_arms([]), "train-qa"), ["ours-train", "ours-train-fast"])
        self.assertEqual(self.names(our_arms([]), "train-sst2-natural", "bf16_autocast"),
                         ["ours-train", "ours-train-fast", "ours-train-fast-all-tokens", "ours-train-bucketed",
                          "ours-train-packed"])

    def test_every_training_precision_has_a_tolerance(self):
        self.assertEqual(set(correctness.LOSS_TOLERANCES), set(workloads.TRAINING_PRECISIONS))




class Engines(unittest.TestCase):
    """The two trainers on modules that only note what they are asked."""

    def job(self, precision):
        return base.Job(BY_NAME["train-sst2"], precision, pathlib.Path("c"), pathlib.Path("i"), pathlib.Path("a"), 2)

    def loop(self, precision, count):
        torch = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"torch": torch}), \
                mock.patch.object(torch_loop, "model_to_train", return_value=torch.model):
            kept = steps.FirstLosses(count)
            torch.model.return_value.loss.detach.return_value = 0.5
            torch_loop.TorchLoop("torch-loop", "sdpa").train(self.job(precision), iter([{"input_ids": 1}] * 9), kept)
        return torch, kept.losses

    def test_a_step_is_forward_backward_clipping_optimizer_and_forgetting(self):
        torch, losses = self.loop("fp32", 2)
        self.assertEqual(losses, [0.5, 0.5])
        torch.optim.AdamW.assert_called_once_with(torch.model.parameters.return_value, lr=recipe.LEARNING_RATE,
                                                  weight_decay=recipe.WEIGHT_DECAY, fused=True)
        wanted = ["model", "model().loss.backward", "nn.utils.clip_grad_norm_", "optim.AdamW().step",
                  "optim.AdamW().zero_grad"]
        order = [name for name, _, _ in torch.mock_calls if name in wanted]
        self.assertEqual(order, wanted * 2)
        self.assertEqual(torch.nn.utils.clip_grad_norm_.call_args.args[1], recipe.MAX_GRADIENT_NORM)

    def test_autocast_is_that_of_its_precision(self):
        for precision, enabled in (("fp32", False), ("bf16_autocast", True)):
            torch, _ = self.loop(precision, 1)
            torch.autocast.assert_called_once_with("cpu", torch.bfloat16, enabled=enabled)

    def test_the_trainer_is_given_the_recipe_and_ends_when_told(self):
        class Trainer:
            def __init__(self, model, args, callbacks):
                self.args, self.callbacks = args, callbacks

            def training_step(self, batch):
                return batch["loss"]

            def train(self):
                control = types.SimpleNamespace(should_training_stop=False)
                for batch in self.get_train_dataloader():
                    self.training_step(batch)
                    self.callbacks[0].on_step_end(self.args, None, control)
                    if control.should_training_stop:
                        return

        fake = types.SimpleNamespace(Trainer=Trainer, TrainerCallback=object, TrainingArguments=mock.Mock())
        kept = steps.FirstLosses(2)
        with mock.patch.dict(sys.modules, {"transformers": fake}), mock.patch.object(hf_trainer, "model_to_train"):
            hf_trainer.HfTrainer("hf-trainer").train(self.job("bf16_autocast"),
                                                     iter([{"loss": loss} for loss in (0.5, 0.25, 0.125)]), kept)
        self.assertEqual(kept.losses, [0.5, 0.25])
        asked = fake.TrainingArguments.call_args.kwargs
        wanted = {"learning_rate": 5e-5, "weight_decay": 0, "max_grad_norm": 1, "gradient_accumulation_steps": 1,
                  "lr_scheduler_type": "constant", "bf16": True, "optim": "adamw_torch_fused", "use_cpu": True}
        self.assertEqual({name: asked[name] for name in wanted}, wanted)


class Tables(unittest.TestCase):
    def comparison(self, workload):
        results = [measure.ArmResult(arm) for arm in
                   (Arm("ours-train", "glibc", our_training.ARMS[0]), Arm("hf-trainer", "glibc"))]
        for result, seconds, peak in zip(results, (1.0, 2.0), (3 << 30, None)):
            result.add({workload.measures[0].name: [seconds]})
            result.peak_rss_bytes = peak
        return measure.Comparison(workload, workload.precisions[0], results)

    def test_trainings_show_memory_beside_the_step(self):
        comparison = self.comparison(BY_NAME["train-sst2"])
        table = report.rows(comparison, comparison.workload.measures[0])
        self.assertEqual(table[0][:4], ["arm", "step, median s", "divergence", "peak RSS, GiB"])
        self.assertEqual([row[3] for row in table[1:]], ["3.00", "–"])
        self.assertEqual(table[2][4], "0.500")
        self.assertEqual(report._comparison_json(comparison)["arms"][0]["peak_rss_bytes"], 3 << 30)

    def test_other_tables_stay_as_they_are(self):
        comparison = self.comparison(BY_NAME["distilbert-b1"])
        self.assertEqual(len(report.rows(comparison, comparison.workload.measures[0])[0]), 4)

    def test_the_peak_is_of_what_came_after_the_reset(self):
        size = 64 << 20
        noise.reset_peak_rss(os.getpid())
        before = noise.peak_rss_bytes(os.getpid())
        block = bytearray(b"x" * size)  # two such blocks at a time
        del block
        grown = noise.peak_rss_bytes(os.getpid()) - before
        noise.reset_peak_rss(os.getpid())
        self.assertGreater(grown, size)
        self.assertLess(noise.peak_rss_bytes(os.getpid()) - before, size)

    def test_the_highest_peak_of_all_blocks_counts(self):
        result = measure.ArmResult(Arm("ours-train", "glibc", our_training.ARMS[0]))
        process = mock.Mock(pid=os.getpid())
        process.passes.return_value = {"step": [1.0]}
        live = [measure._Live(result, process, 1)]
        measurement = measure.Measurement(None, BY_NAME["train-sst2"], "fp32", measure.Options(3, 0, 1, math.inf,
                                                                                              lambda text: None))
        comparison = measure.Comparison(BY_NAME["train-sst2"], "fp32", [result])
        with mock.patch.object(noise, "peak_rss_bytes", side_effect=[5, 9, 7]), \
                mock.patch.object(noise, "reset_peak_rss") as reset:
            measurement._rounds(comparison, live)
        self.assertEqual((result.peak_rss_bytes, reset.call_count), (9, 3))

    def test_a_block_holds_whole_passes_of_several_steps(self):
        process = mock.Mock(steps_in_a_pass=4)
        process.passes.return_value = {"step": [0.5]}
        options = measure.Options(1, 0, 5, math.inf)
        natural = measure.Measurement(None, BY_NAME["train-sst2-natural"], "fp32", options)
        self.assertEqual(natural._passes_in_a_block(process), 2)  # 2 s each, in 5 s

    def test_blocks_of_a_series_are_joined(self):
        both = session.joined([series("loss", [1.0]), series("latency", [2.0], [7]), series("loss", [3.0])])
        self.assertEqual(both, {"loss": {"value": [1.0, 3.0]}, "latency": {"value": [2.0], "useful_tokens": [7]}})


if __name__ == "__main__":
    unittest.main()
