"""What users do to a network or its view; each returns what can be seen."""

import copy
import io

import torch
import torch.nn.functional as nnf
from torch import nn

from preact.nn.layers import BatchNorm

SITUATIONS = {}


def situation(function):
    """List a situation by the name of its function."""
    SITUATIONS[function.__name__] = function
    return function


def logits_of(view, x):
    """Evaluate without gradients, whatever the mode is afterwards."""
    states = {m: m.training for m in view.modules()}
    view.eval()
    with torch.no_grad():
        logits = view(x)
    for module, training in states.items():
        module.training = training
    return logits


def seen(view, x, labels):
    """Logits, all gradients and buffers of one step, then an evaluation."""
    x = x.detach().clone().requires_grad_()
    logits = view(x)
    nnf.cross_entropy(logits, labels).backward()
    gradients = [p.grad for p in view.parameters() if p.grad is not None]
    buffers = [b.clone() for b in view.buffers()]
    out = [logits.detach(), x.grad, *gradients, *buffers]
    return [*out, logits_of(view, x.detach())]


def bns(network):
    return [m for m in network.modules() if isinstance(m, BatchNorm)]


@situation
def training(network, view, x, labels):
    return seen(view, x, labels)


@situation
def evaluation_with_gradients(network, view, x, labels):
    network.eval()
    return seen(view, x, labels)


@situation
def weights_and_statistics_changed_after_evaluation(network, view, x, labels):
    """By data, in place, in other memory."""
    out = [logits_of(view, x)]
    for p in [*network.parameters(), *network.buffers()]:
        p.data.add_(0.05 * torch.ones_like(p))
    out += [logits_of(view, x)]
    with torch.no_grad():
        for p in network.parameters():
            p.mul_(0.9)
    out += [logits_of(view, x)]
    for p in network.parameters():
        p.data = p.data.clone() * 0.9
    return [*out, logits_of(view, x), *seen(view, x, labels)]


@situation
def a_functional_call_in_training(network, view, x, labels):
    state = {
        n: (v * 0.9).detach().requires_grad_()
        for n, v in view.named_parameters()
    }
    logits = torch.func.functional_call(view, state, (x,))
    nnf.cross_entropy(logits, labels).backward()
    assert all(p.grad is None for p in view.parameters())
    return [logits.detach(), *(v.grad for v in state.values())]


@situation
def one_bn_in_another_mode(network, view, x, labels):
    """Frozen in training, with and without others of its unit; in training."""
    network.units[1].weights[1].eval()
    network.units[2].weights[1].eval()
    out = seen(view, x, labels)
    network.eval()
    network.units[1].pre[0].train()
    with torch.no_grad():
        out.append(view(x))
    return out + seen(view, x, labels)


@situation
def no_gradients_in_training_and_evaluation(network, view, x, labels):
    with torch.no_grad():
        out = [view(x)]
    with torch.inference_mode():
        out.append(view(x).clone())
    network.eval()
    with torch.inference_mode():
        return [*out, view(x).clone()]


@situation
def a_gradient_penalty(network, view, x, labels):
    x = x.clone().requires_grad_()
    loss = nnf.cross_entropy(view(x), labels)
    (dx,) = torch.autograd.grad(loss, x, create_graph=True)
    (loss + 10 * dx.square().sum()).backward()
    return [dx.detach(), x.grad, *(p.grad for p in view.parameters())]


@situation
def a_backward_pass_twice(network, view, x, labels):
    loss = nnf.cross_entropy(view(x), labels)
    loss.backward(retain_graph=True)
    loss.backward()
    return [p.grad for p in view.parameters()]


@situation
def two_forward_passes_before_a_backward_pass(network, view, x, labels):
    loss = nnf.cross_entropy(view(x), labels)
    view.units[1].eval()
    loss = loss + nnf.cross_entropy(view(x.flip(0) * 0.5), labels)
    loss.backward()
    return [*(p.grad for p in view.parameters()), *view.buffers()]


@situation
def some_weights_that_need_no_gradient(network, view, x, labels):
    network.units[1].weights[0].weight.requires_grad_(False)
    network.units[3].requires_grad_(False)
    return seen(view, x, labels)


@situation
def a_swapped_convolution(network, view, x, labels):
    old = network.units[1].weights[0]
    new = nn.Conv2d(8, 8, 3, padding=1, bias=True).to(old.weight.dtype)
    new.load_state_dict(
        {"weight": old.weight * 0.5, "bias": torch.ones(8)}, strict=True
    )
    network.units[1].weights[0] = new
    return seen(view, x, labels)


@situation
def swapped_layers(network, view, x, labels):
    """Another BN, another nonlinearity, another factor, a copied unit."""
    dtype = network.classifier.weight.dtype
    network.units[1].weights[1] = nn.BatchNorm2d(8).to(dtype)
    network.units[3].weights[2] = nn.SiLU()
    network.units[4].on_branch.value = 0.5
    network.units[5] = copy.deepcopy(network.units[5])
    return seen(view, x, labels)


@situation
def a_swapped_unit(network, view, x, labels):
    network.units[1] = nn.Identity()
    return seen(view, x, labels)


def assert_called(calls, hooks, view):
    """Each hook in training and in evaluation; once more if repeated.

    Hardly ever all of them: a repetition ends with what is needed.
    """
    if getattr(view, "memory", None) in ("unit", "segment"):
        assert len(calls) > 2 * hooks
    else:
        assert len(calls) == 2 * hooks


@situation
def hooks_inside_a_unit(network, view, x, labels):
    calls = []
    unit = network.units[1]
    unit.weights[1].register_forward_hook(
        lambda _m, _x, y: calls.append(1) or y * 0.5
    )
    unit.weights.register_forward_pre_hook(
        lambda _m, inputs: calls.append(1) or (inputs[0] * 2,)
    )
    unit.shortcut.register_forward_hook(lambda *_: calls.append(1))
    out = seen(view, x, labels)
    assert_called(calls, 3, view)
    return out


@situation
def hooks_on_a_unit(network, view, x, labels):
    calls = []
    unit = network.units[1]
    unit.register_forward_pre_hook(lambda _m, x: calls.append(1) or x[0] * 2)
    unit.register_forward_hook(lambda _m, _x, y: calls.append(1) or y * 0.5)
    out = seen(view, x, labels)
    assert_called(calls, 2, view)
    return out


@situation
def hooks_of_other_kinds(network, view, x, labels):
    """With keywords, on gradients of a unit and of a weight."""
    network.units[1].register_forward_hook(
        lambda _m, _x, _k, y: y * 0.5, with_kwargs=True
    )
    network.units[3].register_full_backward_hook(
        lambda _m, dx, _dy: (dx[0] * 0.5,)
    )
    network.units[5].weights[0].weight.register_hook(lambda g: g * 3)
    return seen(view, x, labels)


@situation
def a_hook_on_all_modules(network, view, x, labels):
    names = []
    handle = nn.modules.module.register_module_forward_hook(
        lambda m, _x, _y: names.append(type(m).__name__)
    )
    with handle:
        out = seen(view, x, labels)
    return [*out, torch.tensor(float(names.count("Conv2d")))]


@situation
def a_parametrized_weight(network, view, x, labels):
    nn.utils.parametrize.register_parametrization(
        network.units[1].weights[0], "weight", nn.Tanh()
    )
    return seen(view, x, labels)


@situation
def a_forward_set_on_a_module(network, view, x, labels):
    relu = network.units[1].weights[2]
    relu.forward = lambda x: x * 0.5
    unit = network.units[3]
    unit.forward = lambda x: 2 * type(unit).forward(unit, x)
    return seen(view, x, labels)


@situation
def convolutions_that_are_set_otherwise(network, view, x, labels):
    """Dilated, and with reflected borders."""
    conv = network.units[1].weights[0]
    conv.dilation, conv.padding = (2, 2), (2, 2)
    old = network.units[3].weights[0]
    new = nn.Conv2d(16, 16, 3, padding=1, bias=False, padding_mode="reflect")
    new.weight = old.weight
    network.units[3].weights[0] = new
    return seen(view, x, labels)


@situation
def batch_normalizations_that_are_set_otherwise(network, view, x, labels):
    network.units[1].pre[0].eps = 0.5
    network.units[1].weights[1].momentum = 0.7
    network.units[3].pre[0].track_running_stats = False
    bn = network.units[5].weights[1]
    bn.running_mean = bn.running_var = None
    return seen(view, x, labels)


@situation
def statistics_of_another_data_set(network, view, x, labels):
    """`update_bn`: the cumulative mean over batches."""
    batches = [x, x * 2 + 1, x.flip(0) - 1]
    torch.optim.swa_utils.update_bn(batches, view)
    moved = [b.clone() for b in view.buffers()]
    return moved + seen(view, x, labels)


@situation
def ghost_batches(network, view, x, labels):
    for bn in bns(network):
        bn.ghost_batch = 2
    bns(network)[3].ghost_batch = 4
    return seen(view, x, labels)


@situation
def a_forward_replaced_in_a_class(network, view, x, labels):
    """Of convolutions, then of units."""
    out = []
    for kind in (nn.Conv2d, type(network.units[0])):
        own = kind.forward
        kind.forward = lambda module, x, own=own: 0.5 * own(module, x)
        try:
            out += seen(view, x, labels)
        finally:
            kind.forward = own
    return out


@situation
def many_gradients_at_once(network, view, x, labels):
    """A Jacobian of the first logits, its rows together."""
    jacobian = torch.autograd.functional.jacobian
    return [jacobian(lambda x: view(x)[:2, :3], x, vectorize=True)]


@situation
def a_copy(network, view, x, labels):
    """A deep one, and one that was saved."""
    room = io.BytesIO()
    torch.save(view, room)
    room.seek(0)
    saved, other = torch.load(room, weights_only=False), copy.deepcopy(view)
    with torch.no_grad():
        for p in network.parameters():
            p.mul_(2)
    return [r for v in (saved, other, view) for r in seen(v, x, labels)]


@situation
def other_sizes_and_layouts(network, view, x, labels):
    out = []
    for images in (
        x[:2, :, :5, :7],
        x.contiguous(),
        x[:1].expand(4, -1, -1, -1),
        x.transpose(2, 3),
    ):
        out += [view(images).detach(), logits_of(view, images)]
    return [*out, *view.buffers()]


@situation
def gradients_of_each_image(network, view, x, labels):
    view.eval()
    state = {n: p.detach() for n, p in view.named_parameters()}

    def loss(state, image, label):
        logits = torch.func.functional_call(view, state, (image[None],))
        return nnf.cross_entropy(logits, label[None])

    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))
    return list(each(state, x, labels).values())


@situation
def operations_that_are_counted(network, view, x, labels):
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        view(x)
    return [torch.tensor(float(counter.get_total_flops()))]


@situation
def another_default_device(network, view, x, labels):
    with torch.device("cpu"):
        return seen(view, x, labels)
